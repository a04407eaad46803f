// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.AccessLog;
import io.verbena.rpc.PageAccess;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.TokenAuthenticator;
import io.verbena.transport.ClientAuth;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.ServerSslOptions;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A server that learns secrets in every way it can, good ones and wrong ones. Prints its pages;
 * {@link PrintingLogs} prints the rest.
 */
final class SecretsProgram {
    static final String MARK = "S3CR3T";
    static final String END = "that is all";

    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private final Path folder;

    private SecretsProgram(Path folder) {
        this.folder = folder;
    }

    /** The argument is the folder of the certificates. */
    public static void main(String[] arguments) throws Exception {
        new SecretsProgram(Path.of(arguments[0])).run();
        System.out.println(END);
    }

    private void run() throws IOException {
        fixture.serverFlags().set(RpcFlag.REQUEST_TIMEOUT_MS, 1000L);
        Server server =
                fixture.server(
                        ServerOptions.DEFAULT
                                .withAuth(
                                        TokenAuthenticator.accepting(
                                                Map.of(MARK + "-a", "billing")))
                                .withInterceptors(new AccessLog())
                                .withSslOptions(
                                        ServerSslOptions.of(file("server.pem"), file("server.key"))
                                                .withClientAuth(
                                                        ClientAuth.OPTIONAL, file("ca.pem")))
                                .withPageAccess(
                                        PageAccess.DEFAULT
                                                .withAdministrators("billing")
                                                .withTokenFile(file("token"))));
        call(server, MARK + "-a");
        call(server, MARK + "-wrong");
        String post = "POST /EchoService/Echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
        String flag =
                "POST /flags/max_body_size HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n";
        String secret = MARK + "-b";
        for (String request :
                List.of(
                        post
                                + "Authorization: Bearer "
                                + MARK
                                + "-a\r\nContent-Length: 2\r\n\r\n{}",
                        post
                                + "Authorization: Bearer "
                                + secret
                                + "\r\nContent-Length: 2\r\n\r\n{}",
                        post + "Authorization: " + secret + "\r\nContent-Length: 2\r\n\r\n{}",
                        post + "Cookie: id=" + secret + "\r\nContent-Length: 2\r\n\r\n{}",
                        post + secret + ": " + secret + "\r\nbroken header\r\n\r\n",
                        post.replace("Echo HTTP", "Echo?token=" + secret + " HTTP")
                                + "Content-Length: 2\r\n\r\n{}",
                        post.replace("Echo HTTP", "Echo?token=" + secret + " HTTP")
                                + "Content-Length: 20\r\n\r\n{",
                        flag
                                + "Authorization: Bearer "
                                + MARK
                                + "-a\r\nContent-Length: 15\r\n\r\n"
                                + "setvalue="
                                + MARK,
                        flag + "Authorization: Bearer " + secret + "\r\nContent-Length: 0\r\n\r\n",
                        "GET /status?token=" + secret + " HTTP/9\r\n\r\n",
                        MARK + " what is this\r\n\r\n")) {
            send(server, request);
        }
        readPages(server);
        server.connections()
                .forEach(
                        connection ->
                                send(
                                        server,
                                        "GET /sockets/"
                                                + connection.id()
                                                + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
        fixture.close();
    }

    private void readPages(Server server) {
        for (String page :
                List.of(
                        "/",
                        "/flags",
                        "/vars",
                        "/status",
                        "/connections",
                        "/brpc_metrics",
                        "/protobufs",
                        "/clusters",
                        "/version",
                        "/health")) {
            send(
                    server,
                    "GET "
                            + page
                            + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                            + "Authorization: Bearer "
                            + MARK
                            + "-a\r\n\r\n");
        }
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private void call(Server server, String token) {
        ClientSslOptions ssl =
                ClientSslOptions.DEFAULT
                        .withCaFile(file("ca.pem"))
                        .withClientCert(file("alice.pem"), file("alice.key"));
        try {
            new EchoServiceClient(fixture.channel(server, ssl, TokenAuthenticator.sending(token)))
                    .echo(EchoRequest.newBuilder().setMessage(MARK + "-message").build());
        } catch (RpcException e) {
            e.printStackTrace(System.out);
        }
    }

    private static void send(Server server, String request) {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            System.out.println(
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            System.out.println(e);
        }
    }
}
