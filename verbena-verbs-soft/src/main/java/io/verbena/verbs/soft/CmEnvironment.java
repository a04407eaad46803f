// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.spi.ConnectionState;
import io.verbena.verbs.spi.QueuedEventChannel;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What every identifier of a device shares.
 *
 * @param context the device
 * @param directory where the listening sockets are
 * @param timeouts how long peers may take
 */
record CmEnvironment(DeviceContext context, SoftDirectory directory, CmTimeouts timeouts) {
    /** The only port of the software device. */
    static final int PORT = 1;

    /** Which of the port's identifiers connections use: the one for shared memory. */
    static final int GID_INDEX = 0;

    /** {@return a channel, which is told when it has been closed} */
    QueuedEventChannel createEventChannel(Consumer<QueuedEventChannel> onClosed) {
        return new QueuedEventChannel(
                context,
                channel ->
                        new SoftConnectionIdentifier(
                                this, ConnectionState.IDLE, Optional.of(channel)),
                onClosed);
    }

    Gid gid() {
        return context.queryGids(PORT).get(GID_INDEX).gid();
    }
}
