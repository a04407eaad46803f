// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * A TCP port whose host seems to be gone: who connects hears nothing, neither that the connection
 * is open nor that it is refused. It listens, its backlog is full, and nobody accepts, so the
 * kernel drops what comes.
 */
public final class SilentPort implements AutoCloseable {
    private static final int MOST = 16;
    private static final int WAIT_MS = 200;

    private final ServerSocket listener;
    private final List<Socket> backlog = new ArrayList<>();

    private SilentPort(ServerSocket listener) {
        this.listener = listener;
    }

    /** {@return a port on the loopback address} */
    public static SilentPort open() {
        try {
            SilentPort port =
                    new SilentPort(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            port.fill();
            return port;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fill() throws IOException {
        while (isAnswering()) {
            if (backlog.size() == MOST) {
                throw new IOException("backlog: more than " + MOST + " (expected: 1)");
            }
        }
    }

    private boolean isAnswering() throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(listener.getInetAddress(), number()), WAIT_MS);
            backlog.add(socket);
            return true;
        } catch (SocketTimeoutException _) {
            // that is what it is for
            socket.close();
            return false;
        }
    }

    /** {@return its number} */
    public int number() {
        return listener.getLocalPort();
    }

    @Override
    public void close() {
        try {
            for (Socket socket : backlog) {
                socket.close();
            }
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
