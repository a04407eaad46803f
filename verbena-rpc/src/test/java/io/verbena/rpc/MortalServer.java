// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Takes one connection and a request, answers nothing, and ends the connection when told to. */
final class MortalServer implements AutoCloseable {
    private final ServerSocket listener;
    private final CompletableFuture<Socket> asked = new CompletableFuture<>();

    MortalServer() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("mortal-server").start(this::serve);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
    }

    private void serve() {
        try {
            Socket socket = listener.accept();
            if (socket.getInputStream().read() >= 0) {
                asked.complete(socket);
            }
        } catch (IOException e) {
            asked.completeExceptionally(e);
        }
    }

    /** Waits for the first byte of a request. */
    void awaitRequest() throws Exception {
        Socket _ = asked.get(20, TimeUnit.SECONDS);
    }

    /** Ends the connection, once it has brought a request, and takes no more. */
    void die() throws Exception {
        asked.get(20, TimeUnit.SECONDS).close();
        listener.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
