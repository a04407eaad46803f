// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.CertificateFiles;
import io.verbena.transport.ClientAuth;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.Connection;
import io.verbena.transport.ServerSslOptions;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TlsSession;
import io.verbena.transport.TransportFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls through TLS, with good certificates and bad ones. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TlsTest {
    @TempDir private static Path folder;
    private static TestCertificates certificates;

    private RpcFixture fixture;

    @BeforeAll
    static void issue() {
        certificates =
                TestCertificates.in(folder)
                        .issue("expired", "IP:127.0.0.1", -1)
                        .issue("elsewhere", "DNS:elsewhere.example", 30)
                        .issue("a", "DNS:a.example,IP:127.0.0.1", 30)
                        .issue("spiffe", "URI:spiffe://example/billing,DNS:b.example", 30);
        certificates.run(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30"
                        + " -subj '/CN=Other CA' -keyout other-ca.key -out other-ca.pem");
        certificates.run(
                "openssl x509 -req -in alice.csr -CA other-ca.pem -CAkey other-ca.key -days 30"
                        + " -out mallory.pem");
        certificates.run("cat ca.pem other-ca.pem > both.pem; cp alice.key mallory.key");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Path file(String name) {
        return certificates.file(name);
    }

    private static ServerSslOptions serverWith(String name) {
        return ServerSslOptions.of(file(name + ".pem"), file(name + ".key"));
    }

    private static ServerSslOptions requiring() {
        return serverWith("server").withClientAuth(ClientAuth.REQUIRED, file("ca.pem"));
    }

    private static ClientSslOptions client() {
        return ClientSslOptions.DEFAULT.withCaFile(file("ca.pem"));
    }

    private static ClientSslOptions clientWith(String name) {
        return client().withClientCert(file(name + ".pem"), file(name + ".key"));
    }

    private Server server(ServerOptions options, ServerSslOptions ssl) {
        return fixture.server(options.withSslOptions(ssl));
    }

    private Server server(ServerSslOptions ssl) {
        return server(ServerOptions.DEFAULT, ssl);
    }

    private Channel channel(Server server, ClientSslOptions ssl) {
        return fixture.channel(server, RpcFixture.PATIENT.withMaxRetry(0).withSslOptions(ssl));
    }

    private static ChannelOptions plain() {
        return RpcFixture.PATIENT.withMaxRetry(0);
    }

    /** {@return the answer, or the error code} */
    private String call(Channel channel) {
        try (ClientController controller = fixture.clientSide.node.controller()) {
            String answer = EchoCalls.echo(channel, controller, "hello");
            return controller.failed()
                    ? controller.errorCode() + " " + controller.errorText()
                    : answer;
        }
    }

    private static TlsSession tls(Server server) {
        return server.connections().stream()
                .map(Connection::tls)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCallThroughTls(SocketMode mode) {
        fixture = new RpcFixture(mode);
        Server server = server(ServerOptions.DEFAULT.withSocketMode(mode), serverWith("server"));
        Channel channel =
                fixture.channel(server, plain().withSocketMode(mode).withSslOptions(client()));

        assertThat(call(channel)).isEqualTo("hello");

        Connection connection = server.connections().iterator().next();
        assertThat(connection.isRdma()).isEqualTo(mode == SocketMode.RDMA);
        assertThat(connection.isEncrypted()).isEqualTo(mode == SocketMode.TCP);
        TlsSession tls = connection.tls().orElseThrow();
        assertThat(tls.protocol()).isEqualTo("TLSv1.3");
        assertThat(tls.applicationProtocol()).isEqualTo("baidu_std");
        assertThat(tls.identity()).isEmpty();
    }

    @Test
    void shouldRunTheOlderHandshakeInsideTls() {
        fixture =
                new RpcFixture(
                        SocketMode.RDMA,
                        RpcFixture.FLAGS
                                .with(TransportFlag.RDMA_SERVER_USE_RDMACM, true)
                                .with(TransportFlag.RDMA_CLIENT_USE_RDMACM, true));
        Server server = server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA), requiring());
        ChannelOptions rdma = plain().withSocketMode(SocketMode.RDMA);
        int before = fixture.serverSide.domain.orElseThrow().connections();

        assertThat(call(fixture.channel(server, rdma.withSslOptions(clientWith("mallory")))))
                .isNotEqualTo("hello");
        assertThat(call(fixture.channel(server, rdma))).isNotEqualTo("hello");
        assertThat(fixture.serverSide.domain.orElseThrow().connections()).isEqualTo(before);

        assertThat(call(fixture.channel(server, rdma.withSslOptions(clientWith("alice")))))
                .isEqualTo("hello");
        assertThat(server.connections())
                .anyMatch(Connection::isRdma)
                .anyMatch(connection -> connection.statistics().handshakeVersion() == 1);
    }

    @Test
    void shouldCarryLargeMessages() {
        fixture = new RpcFixture(SocketMode.TCP);
        Channel channel = channel(server(serverWith("server")), client());
        String large = "0123456789".repeat(800_000);

        for (int i = 0; i < 3; i++) {
            try (ClientController controller = fixture.clientSide.node.controller()) {
                assertThat(EchoCalls.echo(channel, controller, large)).isEqualTo(large);
            }
        }
    }

    @Test
    void shouldUseTcpIfEncryptionIsRequired() {
        fixture = new RpcFixture(SocketMode.RDMA);
        Server server =
                server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA), serverWith("server"));
        ChannelOptions options =
                plain().withSocketMode(SocketMode.RDMA)
                        .withSslOptions(client())
                        .withEncryptionRequired(true);

        assertThat(call(fixture.channel(server, options))).isEqualTo("hello");

        assertThat(server.connections()).allMatch(Connection::isEncrypted);
    }

    @Test
    void shouldTakeBothOnOnePortUnlessForced() {
        fixture = new RpcFixture(SocketMode.TCP);
        Server mixed = server(serverWith("server"));
        Server forced = server(ServerOptions.DEFAULT.withForceSsl(true), serverWith("server"));
        Server without = fixture.server(ServerOptions.DEFAULT);

        assertThat(call(fixture.channel(mixed, plain()))).isEqualTo("hello");
        assertThat(call(channel(mixed, client()))).isEqualTo("hello");
        assertThat(call(channel(forced, client()))).isEqualTo("hello");
        assertThat(call(fixture.channel(forced, plain()))).startsWith("1014 ");
        assertThat(call(channel(without, client()))).startsWith("1016 ");
        assertThat(call(fixture.channel(without, plain()))).isEqualTo("hello");
    }

    @Test
    void shouldRefuseBadServers() {
        fixture = new RpcFixture(SocketMode.TCP);

        assertThat(call(channel(server(serverWith("expired")), client()))).startsWith("1016 ");
        assertThat(call(channel(server(serverWith("elsewhere")), client())))
                .startsWith("1016 ")
                .contains("No subject alternative");
        Server good = server(serverWith("server"));
        assertThat(call(channel(good, ClientSslOptions.DEFAULT.withCaFile(file("other-ca.pem")))))
                .startsWith("1016 ")
                .contains("certification path");
        assertThat(call(channel(good, ClientSslOptions.DEFAULT))).startsWith("1016 ");
        assertThat(call(channel(good, client().withSniName("other.example")))).startsWith("1016 ");
        assertThat(call(channel(good, client().withSniName("localhost")))).isEqualTo("hello");
        assertThat(
                        call(
                                channel(
                                        server(serverWith("elsewhere")),
                                        client().withHostNameVerified(false))))
                .isEqualTo("hello");
    }

    @Test
    void shouldRefuseBadClients() {
        fixture = new RpcFixture(SocketMode.TCP);
        Server server = server(requiring());

        assertThat(call(channel(server, clientWith("alice")))).isEqualTo("hello");
        assertThat(call(channel(server, client()))).matches("(?s)(1016|1014|104|32) .*");
        assertThat(call(channel(server, clientWith("expired"))))
                .matches("(?s)(1016|1014|104|32) .*");
        assertThat(call(channel(server, clientWith("mallory"))))
                .matches("(?s)(1016|1014|104|32) .*");
        assertThat(call(fixture.channel(server, plain()))).startsWith("1014 ");
        RpcFixture.eventually(
                () -> server.core().droppedConnections() == 4,
                () -> "counted: " + server.core().droppedConnections());
    }

    @Test
    void shouldGiveQueuePairsToClientsWithCertificatesOnly() {
        fixture = new RpcFixture(SocketMode.RDMA);
        Server server = server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA), requiring());
        ChannelOptions rdma = plain().withSocketMode(SocketMode.RDMA);
        int before = fixture.serverSide.domain.orElseThrow().connections();

        assertThat(call(fixture.channel(server, rdma))).isNotEqualTo("hello");
        assertThat(call(fixture.channel(server, rdma.withSslOptions(client()))))
                .isNotEqualTo("hello");
        assertThat(call(fixture.channel(server, rdma.withSslOptions(clientWith("mallory")))))
                .isNotEqualTo("hello");
        assertThat(fixture.serverSide.domain.orElseThrow().connections()).isEqualTo(before);

        assertThat(call(fixture.channel(server, rdma.withSslOptions(clientWith("alice")))))
                .isEqualTo("hello");
        assertThat(server.connections()).anyMatch(Connection::isRdma);
    }

    @Test
    void shouldNotSpeakOldVersions() {
        fixture = new RpcFixture(SocketMode.TCP);
        Server only13 = server(serverWith("server").withProtocols(List.of("TLSv1.3"), List.of()));

        assertThat(call(channel(only13, client().withProtocols(List.of("TLSv1.2"), List.of()))))
                .startsWith("1016 ");
        Server both = server(serverWith("server"));
        assertThat(call(channel(both, client().withProtocols(List.of("TLSv1.2"), List.of()))))
                .isEqualTo("hello");
        assertThat(tls(both).protocol()).isEqualTo("TLSv1.2");
    }

    @Test
    void shouldChooseCertificatesByName() {
        fixture = new RpcFixture(SocketMode.TCP);
        CertificateFiles forA =
                new CertificateFiles(file("a.pem"), file("a.key"), List.of("*.example"));
        Server server = server(serverWith("server").withCerts(List.of(forA), false));
        Server strict = server(serverWith("server").withCerts(List.of(forA), true));

        assertThat(call(channel(server, client().withSniName("a.example")))).isEqualTo("hello");
        assertThat(call(channel(server, client().withSniName("localhost")))).isEqualTo("hello");
        assertThat(call(channel(strict, client().withSniName("a.example")))).isEqualTo("hello");
        assertThat(call(channel(strict, client().withSniName("localhost")))).isNotEqualTo("hello");
    }

    @Test
    void shouldReloadAndRevoke() throws Exception {
        fixture = new RpcFixture(SocketMode.TCP);
        Path trusted = Files.copy(file("both.pem"), file("trusted.pem"));
        Server server = server(serverWith("server").withClientAuth(ClientAuth.REQUIRED, trusted));
        Channel alice = channel(server, clientWith("alice"));
        Channel mallory = channel(server, clientWith("mallory"));
        assertThat(call(alice)).isEqualTo("hello");
        assertThat(call(mallory)).isEqualTo("hello");

        Files.writeString(trusted, "nonsense");
        assertThatThrownBy(server::reloadCertificates).isInstanceOf(IllegalArgumentException.class);
        assertThat(call(mallory)).isEqualTo("hello");
        Files.copy(file("ca.pem"), trusted, StandardCopyOption.REPLACE_EXISTING);
        server.reloadCertificates();

        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> "" + server.connections());
        assertThat(call(mallory)).isNotEqualTo("hello");
        assertThat(call(alice)).isEqualTo("hello");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void shouldResumeSessions(String version) {
        fixture = new RpcFixture(SocketMode.TCP);
        Server server = server(requiring());
        ClientSslOptions ssl = clientWith("alice").withProtocols(List.of(version), List.of());
        ChannelOptions options =
                plain().withConnectionType(ConnectionType.SHORT).withSslOptions(ssl);
        Channel channel = fixture.channel(server, options);
        assertThat(call(channel)).isEqualTo("hello");
        RpcFixture.eventually(() -> server.connections().isEmpty(), () -> "a connection");

        Channel second = fixture.channel(server, plain().withSslOptions(ssl));
        assertThat(call(second)).isEqualTo("hello");

        assertThat(tls(server).isResumed()).isTrue();
        assertThat(tls(server).identity()).isEqualTo("alice");
        server.reloadCertificates();
        Channel third =
                fixture.channel(server, plain().withSslOptions(ssl).withConnectionGroup("third"));
        assertThat(call(third)).isEqualTo("hello");
        assertThat(server.connections())
                .anyMatch(connection -> !connection.tls().orElseThrow().isResumed());
    }

    /** Answers with who the client is. */
    private static final class WhoAmI extends EchoServices.Echo {
        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            String identity = controller.identity();
            done.accept(EchoResponse.newBuilder().setMessage(identity).build());
        }
    }

    private Server whoAmI(ServerOptions options) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(new WhoAmI())
                        .start(RpcFixture.anyPort(), options));
    }

    @Test
    void shouldTellServicesWhoTheClientIs() {
        fixture = new RpcFixture(SocketMode.TCP);
        Server byCertificate = whoAmI(ServerOptions.DEFAULT.withSslOptions(requiring()));

        assertThat(call(channel(byCertificate, clientWith("alice")))).isEqualTo("alice");
        assertThat(call(channel(byCertificate, clientWith("a")))).isEqualTo("a.example");
        assertThat(call(channel(byCertificate, clientWith("spiffe"))))
                .isEqualTo("spiffe://example/billing");
        Server some =
                whoAmI(
                        ServerOptions.DEFAULT
                                .withAuth(CertificateAuthenticator.accepting("alice"))
                                .withSslOptions(
                                        serverWith("server")
                                                .withClientAuth(
                                                        ClientAuth.OPTIONAL, file("ca.pem"))));
        assertThat(call(channel(some, clientWith("alice")))).isEqualTo("alice");
        assertThat(call(channel(some, clientWith("a")))).startsWith("1004 ");
        assertThat(call(channel(some, client()))).startsWith("1004 ");
        assertThat(call(fixture.channel(some, plain()))).startsWith("1004 ");
    }

    @Test
    void shouldAuthenticateByToken() {
        fixture = new RpcFixture(SocketMode.TCP);
        Server server =
                whoAmI(
                        ServerOptions.DEFAULT
                                .withSslOptions(serverWith("server"))
                                .withAuth(
                                        TokenAuthenticator.accepting(
                                                Map.of("s3cret", "billing", "other", "shop"))));
        ChannelOptions options = plain().withSslOptions(client());

        assertThat(
                        call(
                                fixture.channel(
                                        server,
                                        options.withAuth(TokenAuthenticator.sending("s3cret")))))
                .isEqualTo("billing");
        String refused =
                call(
                        fixture.channel(
                                server, options.withAuth(TokenAuthenticator.sending("wr0ng"))));
        assertThat(refused).startsWith("1004 ").doesNotContain("wr0ng");
        assertThat(call(fixture.channel(server, options))).startsWith("1004 ");
    }

    @Test
    void shouldRejectOptionsThatCannotWork() {
        fixture = new RpcFixture(SocketMode.TCP);
        Path none = folder.resolve("none.pem");

        assertThatThrownBy(() -> server(ServerSslOptions.of(none, file("server.key"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.pem");
        assertThatThrownBy(
                        () -> server(ServerSslOptions.of(file("server.pem"), file("server.pem"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PKCS#8");
        assertThatThrownBy(
                        () ->
                                server(
                                        serverWith("server")
                                                .withProtocols(List.of("SSLv2"), List.of())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fixture.server(ServerOptions.DEFAULT.withForceSsl(true)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ssl_options");
        Server server = server(serverWith("server"));
        assertThatThrownBy(() -> channel(server, ClientSslOptions.DEFAULT.withCaFile(none)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.pem");
    }
}
