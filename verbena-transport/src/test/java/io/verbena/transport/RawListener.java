// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A server on plain sockets. */
final class RawListener implements AutoCloseable {
    private final ServerSocket socket;

    RawListener() throws IOException {
        socket = new ServerSocket(0, 50, DeviceUnderTest.address());
        socket.setSoTimeout(30_000);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    RawPeer accept() throws IOException {
        return new RawPeer(socket.accept());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
