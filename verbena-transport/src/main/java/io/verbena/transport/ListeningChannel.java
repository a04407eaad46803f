// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.socket.nio.NioServerSocketChannel;

/**
 * A listening socket that stays open whatever accepting throws. Netty's own closes for anything but
 * an IOException, for example for an OutOfMemoryError, and the server would never accept again.
 */
class ListeningChannel extends NioServerSocketChannel {
    /** {@return whether it is closed already; {@link AcceptFailures} does the rest} */
    @Override
    protected boolean closeOnReadError(Throwable cause) {
        return !isActive();
    }
}
