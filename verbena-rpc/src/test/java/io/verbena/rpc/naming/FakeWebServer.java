// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A web server with one page, for a connection at a time. */
final class FakeWebServer implements AutoCloseable {
    private final ServerSocket socket;
    private final String path;
    private final String body;

    FakeWebServer(String path, String body) throws IOException {
        this.path = path;
        this.body = body;
        this.socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("fake-web-server").start(this::serve);
    }

    String host() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept();
                    BufferedReader request =
                            new BufferedReader(
                                    new InputStreamReader(
                                            client.getInputStream(), StandardCharsets.US_ASCII))) {
                String first = request.readLine();
                String line = first;
                while (line != null && !line.isEmpty()) {
                    line = request.readLine();
                }
                client.getOutputStream().write(answer(first).getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().flush();
            } catch (IOException e) {
                // the next one, or closed
            }
        }
    }

    private String answer(String request) {
        boolean isFound = request != null && request.startsWith("GET " + path + " ");
        String text = isFound ? body : "";
        return "HTTP/1.1 "
                + (isFound ? "200 OK" : "404 Not Found")
                + "\r\nConnection: close\r\nContent-Length: "
                + text.length()
                + "\r\n\r\n"
                + text;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
