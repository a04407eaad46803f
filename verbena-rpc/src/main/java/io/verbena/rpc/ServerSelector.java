// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.List;

/** Finds a server for each try of a call. Any thread; never blocks. */
interface ServerSelector extends AutoCloseable {

    /**
     * {@return where the next try of a call goes, or null if there is no server; on the path of
     * every call, so no Optional}
     *
     * @param call the call, owned by the caller; servers it has tried are avoided if there are
     *     others
     */
    Target select(PendingCall call);

    /** {@return why {@link #select} found nothing} */
    TryFailure noServer();

    /** {@return every server that {@link #select} may choose now} */
    List<Target> targets();

    @Override
    void close();
}
