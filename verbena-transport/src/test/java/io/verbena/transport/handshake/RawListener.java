// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.rdma.DeviceUnderTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A server on plain sockets. */
public final class RawListener implements AutoCloseable {
    private final ServerSocket socket;

    public RawListener() throws IOException {
        socket = new ServerSocket(0, 50, DeviceUnderTest.address());
        socket.setSoTimeout(30_000);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    public RawPeer accept() throws IOException {
        return new RawPeer(socket.accept());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
