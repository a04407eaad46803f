// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;

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

    /** {@return whether {@link #select} may choose a server with this address now} */
    default boolean isListed(InetSocketAddress address) {
        return targets().stream().anyMatch(target -> target.node().address().equals(address));
    }

    /**
     * Has someone told of each address some time after it left the list; it may be back by then.
     */
    default void onLeave(Consumer<InetSocketAddress> listener) {}

    /**
     * Has someone connect ahead of calls to each server that is listed now, and to those that come,
     * if the channel's options ask for that. For a channel whose protocol has connections of its
     * own.
     *
     * @param listener must not block
     */
    default void onJoin(Consumer<InetSocketAddress> listener) {}

    @Override
    void close();
}
