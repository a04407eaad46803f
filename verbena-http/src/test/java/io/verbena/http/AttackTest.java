// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.ClientAuth;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.ServerSslOptions;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An attacker against one server with TLS on a mixed port, from another address than the good
 * client. The {@link GoodClient} gets its answers within their deadlines throughout each attack.
 * The peers are raw sockets, openssl and the JDK.
 */
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class AttackTest {
    /** The extension of a client's hello that offers TLS 1.3 and 1.2; and one that nobody knows. */
    private static final String SUPPORTED_VERSIONS = "\0\53\0\5\4\3\4\3\3";

    private static final String UNKNOWN_EXTENSION = "\372\372\0\5\4\3\4\3\3";

    private static final byte[] CLIENT_HELLO_START = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};

    private static final String ATTACKER = "127.0.0.2";

    @TempDir private static Path folder;
    private static TestCertificates certificates;

    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private final List<Socket> sockets = new ArrayList<>();
    private final List<ServerSocket> listeners = new ArrayList<>();
    private Server server;
    private GoodClient good;

    @BeforeAll
    static void issue() {
        certificates = TestCertificates.in(folder);
    }

    private static ServerSslOptions ssl() {
        return ServerSslOptions.of(
                certificates.file("server.pem"), certificates.file("server.key"));
    }

    @BeforeEach
    void start() {
        server = fixture.server(ServerOptions.DEFAULT.withSslOptions(ssl()));
        good =
                new GoodClient(
                        fixture.channel(server, trusting()),
                        fixture.shortChannel(server, trusting()));
    }

    private static ClientSslOptions trusting() {
        return ClientSslOptions.DEFAULT.withCaFile(certificates.file("ca.pem"));
    }

    @AfterEach
    void close() throws Exception {
        good.expectAnswers();
        for (Socket socket : sockets) {
            socket.close();
        }
        for (ServerSocket listener : listeners) {
            listener.close();
        }
        good.expectAnswers();
        good.end();
        fixture.close();
    }

    private Socket connect(String from) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(server.address(), 20_000);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private Socket send(byte[] bytes) throws IOException {
        Socket socket = connect(ATTACKER);
        socket.getOutputStream().write(bytes);
        return socket;
    }

    /** Reads until the server has closed the connection. */
    private static String readAll(Socket socket) throws IOException {
        try (InputStream input = socket.getInputStream()) {
            return new String(input.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (java.net.SocketException e) {
            return ""; // reset
        }
    }

    private String openssl(String options, String input) {
        return certificates.run(
                "printf '"
                        + input
                        + "' | timeout 20 openssl s_client -connect 127.0.0.1:"
                        + server.address().getPort()
                        + " "
                        + options
                        + " 2>&1; true");
    }

    @Test
    void shouldAnswerOpenssl() {
        String get = "GET /health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n";

        String answer =
                openssl(
                        "-CAfile ca.pem -verify_return_error -verify_hostname localhost"
                                + " -alpn http/1.1 -ign_eof",
                        get);

        assertThat(answer)
                .contains("Verify return code: 0 (ok)")
                .contains("ALPN protocol: http/1.1")
                .contains("New, TLSv1.3")
                .contains("HTTP/1.1 200 OK");
        for (String version : List.of("-tls1_3", "-tls1_2")) {
            openssl(version + " -CAfile ca.pem -ign_eof -sess_out session" + version, get);
            assertThat(
                            openssl(
                                    version + " -CAfile ca.pem -ign_eof -sess_in session" + version,
                                    get))
                    .contains("Reused, TLSv1.")
                    .contains("HTTP/1.1 200 OK");
        }
    }

    @Test
    void shouldRefuseOldVersionsAndCiphers() {
        for (String options :
                List.of("-tls1_1 -cipher ALL:@SECLEVEL=0", "-tls1 -cipher ALL:@SECLEVEL=0")) {
            assertThat(openssl(options, "")).contains("Cipher is (NONE)");
        }
        assertThat(openssl("-tls1_2 -cipher eNULL:aNULL:@SECLEVEL=0", ""))
                .contains("Cipher is (NONE)");
    }

    /** A line with an R makes openssl renegotiate. */
    @Test
    void shouldCutClientsThatRenegotiate() {
        String output =
                certificates.run(
                        "(echo R; sleep 3) | timeout 20 openssl s_client -tls1_2 -connect"
                                + " 127.0.0.1:"
                                + server.address().getPort()
                                + " 2>&1; true");

        assertThat(output).contains("RENEGOTIATING");
        Eventually.become(
                () ->
                        server.connections().stream()
                                .noneMatch(c -> c.tls().isPresent() && isOther(c)),
                () -> "" + server.connections());
    }

    private boolean isOther(io.verbena.transport.Connection connection) {
        return connection.tls().orElseThrow().protocol().equals("TLSv1.2");
    }

    /** {@return what the JDK trusts the test authority with} */
    private static SSLContext context() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(certificates.file("ca.pem"))) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Test
    void shouldAnswerTheJdksClientThroughTls() throws Exception {
        try (HttpClient client = HttpClient.newBuilder().sslContext(context()).build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "https://localhost:"
                                                    + server.address().getPort()
                                                    + "/EchoService/Echo"))
                            .timeout(Duration.ofSeconds(20))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"message\":\"x\"}"))
                            .build();
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(answer.sslSession()).isPresent();
        }
        try (HttpClient stranger = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(
                                    URI.create("https://localhost:" + server.address().getPort()))
                            .timeout(Duration.ofSeconds(20))
                            .build();
            assertThatThrownBy(() -> stranger.send(request, BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldRefusePlainBytesWhereTlsIsRequired() throws Exception {
        Server strict =
                fixture.server(
                        ServerOptions.DEFAULT.withSslOptions(
                                ssl().withClientAuth(
                                                ClientAuth.REQUIRED, certificates.file("ca.pem"))));
        for (String text :
                List.of(
                        "GET /health HTTP/1.1\r\nHost: h\r\n\r\n",
                        "PRPC\0\0\0\0\0\0\0\0",
                        "RDMA\0(\0\2\0\1",
                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                        "\25\3\1\0\2")) {
            try (Socket socket =
                    new Socket(strict.address().getAddress(), strict.address().getPort())) {
                socket.setSoTimeout(20_000);
                socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                assertThat(readAll(socket)).isEmpty();
            }
        }
    }

    @Test
    void shouldSurviveGarbageInsteadOfAHandshake() throws Exception {
        byte[] garbage = new byte[4000];
        new java.util.Random(17).nextBytes(garbage);
        garbage[0] = 22;
        for (int i = 0; i < 50; i++) {
            garbage[1] = (byte) i;
            assertThat(readAll(send(garbage)).length()).isLessThan(100);
        }
    }

    @Test
    void shouldServeGoodClientsDuringThousandsOfHalfHandshakes() throws Exception {
        for (int i = 0; i < 2000; i++) {
            send(Arrays.copyOf(CLIENT_HELLO_START, 1 + i % CLIENT_HELLO_START.length));
            if (i % 250 == 0) {
                good.expectAnswers();
            }
        }
        expectNoMoreThan(TransportFlag.MAX_NEWCOMERS_PER_ADDRESS);
    }

    /** Whole handshakes, and then nothing: each costs the server a signature. */
    @Test
    void shouldServeGoodClientsDuringHandshakesWithoutARequest() throws Exception {
        SSLSocketFactory factory = context().getSocketFactory();
        for (int i = 0; i < 100; i++) {
            Socket plain = connect(ATTACKER);
            SSLSocket tls = (SSLSocket) factory.createSocket(plain, "localhost", 0, true);
            tls.startHandshake();
            if (i % 25 == 0) {
                good.expectAnswers();
            }
        }
    }

    @Test
    void shouldServeGoodClientsDuringAFloodFromOneAddress() throws Exception {
        for (int i = 0; i < 2000; i++) {
            connect(ATTACKER).getOutputStream().write("GPR\26".charAt(i % 4));
            if (i % 250 == 0) {
                good.expectAnswers();
            }
        }
        expectNoMoreThan(TransportFlag.MAX_NEWCOMERS_PER_ADDRESS);
    }

    @Test
    void shouldServeGoodClientsDuringAFloodFromManyAddresses() throws Exception {
        fixture.serverFlags().set(RpcFlag.REQUEST_TIMEOUT_MS, 1000L);
        for (int i = 0; i < 2000; i++) {
            connect("127.0." + (1 + i % 4) + "." + (1 + i % 250)).getOutputStream().write('G');
            if (i % 250 == 0) {
                good.expectAnswers();
            }
        }
    }

    /** Those, and the connections of the good client. */
    private void expectNoMoreThan(TransportFlag limit) {
        long most = TransportFlags.DEFAULT.number(limit) + 10;
        Eventually.become(
                () -> server.connections().size() <= most,
                () -> "connections: " + server.connections().size());
    }

    /** The list of versions in a client's hello is made unreadable, as a middleman might do. */
    @Test
    void shouldNoticeAMiddlemanWhoForcesAnOlderVersion() throws Exception {
        ServerSocket middleman = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listeners.add(middleman);
        Thread.ofVirtual().name("middleman").start(() -> forward(middleman));

        assertThatThrownBy(
                        () ->
                                new EchoServiceClient(
                                                fixture.channel(
                                                        middleman.getLocalPort(), trusting()))
                                        .echo(EchoRequest.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> assertThat(e.code()).isEqualTo(RpcError.ESSL.code()));
    }

    private void forward(ServerSocket middleman) {
        try (Socket client = middleman.accept();
                Socket onward = new Socket()) {
            onward.connect(server.address());
            String text = new String(record(client), StandardCharsets.ISO_8859_1);
            String changed = text.replace(SUPPORTED_VERSIONS, UNKNOWN_EXTENSION);
            assertThat(changed).isNotEqualTo(text);
            onward.getOutputStream().write(changed.getBytes(StandardCharsets.ISO_8859_1));
            Thread back =
                    Thread.ofVirtual().name("middleman-back").start(() -> copy(onward, client));
            copy(client, onward);
            back.join();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return a whole record of TLS, however many pieces it comes in} */
    private static byte[] record(Socket from) throws IOException {
        byte[] head = from.getInputStream().readNBytes(5);
        byte[] body = from.getInputStream().readNBytes(ByteBuffer.wrap(head).getShort(3));
        return ByteBuffer.allocate(head.length + body.length).put(head).put(body).array();
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // either side has ended it
        }
    }

    @Test
    void shouldCutOffAClientWhoseCertificateIsRevoked() throws Exception {
        certificates.revoke();
        Server strict =
                fixture.server(
                        ServerOptions.DEFAULT.withSslOptions(
                                ssl().withClientAuth(
                                                ClientAuth.REQUIRED, certificates.file("ca.pem"))
                                        .withCrlFile(certificates.file("crl.pem"))));
        String get = "GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n";
        String alice =
                "openssl s_client -CAfile ca.pem -cert alice.pem -key alice.key -ign_eof -connect"
                        + " 127.0.0.1:"
                        + strict.address().getPort();
        FutureTask<String> open =
                new FutureTask<>(
                        () ->
                                certificates.run(
                                        "printf '" + get + "' | timeout 40 " + alice + "; true"));
        Thread.ofVirtual().name("alice").start(open);
        Eventually.become(
                () -> strict.connections().stream().anyMatch(c -> c.statistics().sentBytes() > 0),
                () -> "" + strict.connections());

        certificates.revoke("alice");
        strict.reloadCertificates();

        assertThat(open.get(30, TimeUnit.SECONDS)).contains("HTTP/1.1 200 OK");
        Eventually.become(() -> strict.connections().isEmpty(), () -> "a connection");
        assertThat(certificates.run("printf '" + get + "' | timeout 20 " + alice + "; true"))
                .doesNotContain("200 OK");
    }
}
