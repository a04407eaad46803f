// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.TestCertificates;
import io.verbena.transport.ClientAuth;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.Connection;
import io.verbena.transport.ServerSslOptions;
import io.verbena.transport.SocketMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates that were good once: revoked by a list, before and while they are in use. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TlsRevocationTest {
    /** What a client sees depends on the moment: an alert, the end, or a reset. */
    private static final String REFUSED = "(?s)(1016|1014|104|32) .*";

    @TempDir private Path folder;
    private TestCertificates certificates;
    private RpcFixture fixture;

    @BeforeEach
    void issue() {
        certificates = TestCertificates.in(folder).issue("bob", "DNS:bob.example", 30);
        certificates.revoke();
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private Path file(String name) {
        return certificates.file(name);
    }

    private ServerSslOptions requiring() {
        return ServerSslOptions.of(file("server.pem"), file("server.key"))
                .withClientAuth(ClientAuth.REQUIRED, file("ca.pem"))
                .withCrlFile(file("crl.pem"));
    }

    private ClientSslOptions client(String name) {
        return ClientSslOptions.DEFAULT
                .withCaFile(file("ca.pem"))
                .withClientCert(file(name + ".pem"), file(name + ".key"));
    }

    private Server server(SocketMode mode, ServerSslOptions ssl) {
        fixture = new RpcFixture(mode);
        return fixture.server(ServerOptions.DEFAULT.withSocketMode(mode).withSslOptions(ssl));
    }

    private Channel channel(Server server, SocketMode mode, ClientSslOptions ssl) {
        return fixture.channel(
                server,
                RpcFixture.PATIENT.withMaxRetry(0).withSocketMode(mode).withSslOptions(ssl));
    }

    private String call(Channel channel) {
        try (ClientController controller = fixture.clientSide.node.controller()) {
            String answer = EchoCalls.echo(channel, controller, "hello");
            return controller.failed()
                    ? controller.errorCode() + " " + controller.errorText()
                    : answer;
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCutOffRevokedClientsOnReload(SocketMode mode) {
        Server server = server(mode, requiring());
        Channel alice = channel(server, mode, client("alice"));
        Channel bob = channel(server, mode, client("bob"));
        assertThat(call(alice)).isEqualTo("hello");
        assertThat(call(bob)).isEqualTo("hello");
        Connection before =
                server.connections().stream()
                        .filter(open -> open.tls().orElseThrow().identity().equals("bob.example"))
                        .findFirst()
                        .orElseThrow();
        assertThat(before.isRdma()).isEqualTo(mode == SocketMode.RDMA);

        certificates.revoke("alice");
        assertThat(call(alice)).as("until the files are read again").isEqualTo("hello");
        server.reloadCertificates();

        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> "" + server.connections());
        assertThat(server.connections()).containsExactly(before);
        assertThat(call(alice)).matches(REFUSED);
        assertThat(call(bob)).isEqualTo("hello");
        // the one that was refused may have to end yet
        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> "" + server.connections());
        assertThat(server.connections()).containsExactly(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void shouldNotResumeSessionsOfRevokedClients(String version) {
        Server server = server(SocketMode.TCP, requiring());
        ClientSslOptions ssl = client("alice").withProtocols(List.of(version), List.of());
        ChannelOptions once =
                RpcFixture.PATIENT
                        .withMaxRetry(0)
                        .withConnectionType(ConnectionType.SHORT)
                        .withSslOptions(ssl);
        Channel alice = fixture.channel(server, once);
        assertThat(call(alice)).isEqualTo("hello");
        assertThat(call(alice)).isEqualTo("hello");

        certificates.revoke("alice");
        server.reloadCertificates();

        assertThat(call(alice)).matches(REFUSED);
    }

    @Test
    void shouldRefuseRevokedClientsFromTheStart() {
        certificates.revoke("alice");
        Server server = server(SocketMode.TCP, requiring());

        assertThat(call(channel(server, SocketMode.TCP, client("alice")))).matches(REFUSED);
        assertThat(call(channel(server, SocketMode.TCP, client("bob")))).isEqualTo("hello");
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldLeaveRevokedServersOnReload(SocketMode mode) {
        Server server = server(mode, ServerSslOptions.of(file("server.pem"), file("server.key")));
        Channel careful = channel(server, mode, client("bob").withCrlFile(file("crl.pem")));
        Channel careless = channel(server, mode, client("bob"));
        assertThat(call(careful)).isEqualTo("hello");
        assertThat(call(careless)).isEqualTo("hello");

        certificates.revoke("server");
        assertThat(call(careful)).as("until the files are read again").isEqualTo("hello");
        fixture.clientSide.node.reloadCertificates();

        RpcFixture.eventually(
                () -> server.connections().size() == 1, () -> "" + server.connections());
        assertThat(call(careful))
                .as("the connection that was cut, or a new one")
                .startsWith("1016 ");
        ClientSslOptions ssl = client("bob").withCrlFile(file("crl.pem"));
        ChannelOptions anew = RpcFixture.PATIENT.withMaxRetry(0).withConnectionGroup("new");
        assertThat(call(fixture.channel(server, anew.withSslOptions(ssl))))
                .startsWith("1016 ")
                .contains("revoked");
        assertThat(call(careless)).isEqualTo("hello");
    }

    @Test
    void shouldRefuseEveryoneIfTheListIsOutOfDate() {
        certificates.run(
                "openssl ca -config crl.conf -cert ca.pem -keyfile ca.key -gencrl"
                        + " -crl_lastupdate 200101000000Z -crl_nextupdate 200102000000Z"
                        + " -out crl.pem");
        Server server = server(SocketMode.TCP, requiring());

        assertThat(call(channel(server, SocketMode.TCP, client("bob")))).matches(REFUSED);

        certificates.revoke();
        server.reloadCertificates();
        assertThat(call(channel(server, SocketMode.TCP, client("bob")))).isEqualTo("hello");
    }

    @Test
    void shouldRefuseEveryoneIfAnAuthorityHasNoList() {
        certificates.run(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30"
                        + " -subj '/CN=Other CA' -keyout other-ca.key -out other-ca.pem");
        certificates.run(
                "openssl x509 -req -in bob.csr -CA other-ca.pem -CAkey other-ca.key -days 30"
                        + " -out bob.pem; cat ca.pem other-ca.pem > both.pem");
        Server server =
                server(
                        SocketMode.TCP,
                        requiring().withClientAuth(ClientAuth.REQUIRED, file("both.pem")));

        assertThat(call(channel(server, SocketMode.TCP, client("alice")))).isEqualTo("hello");
        assertThat(call(channel(server, SocketMode.TCP, client("bob")))).matches(REFUSED);
    }

    @Test
    void shouldKeepTheOldListIfTheNewOneCannotBeUsed() throws Exception {
        certificates.revoke("alice");
        Server server = server(SocketMode.TCP, requiring());
        Channel bob = channel(server, SocketMode.TCP, client("bob"));
        assertThat(call(bob)).isEqualTo("hello");

        for (String nonsense : List.of("", "nonsense", "-----BEGIN X509 CRL-----\nnonsense")) {
            Files.writeString(file("crl.pem"), nonsense);
            assertThatThrownBy(server::reloadCertificates)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("crl_file_path");
        }

        assertThat(call(bob)).isEqualTo("hello");
        assertThat(call(channel(server, SocketMode.TCP, client("alice")))).matches(REFUSED);
    }

    @Test
    void shouldRefuseAListWithoutAuthorities() {
        assertThatThrownBy(
                        () ->
                                server(
                                        SocketMode.TCP,
                                        ServerSslOptions.of(file("server.pem"), file("server.key"))
                                                .withCrlFile(file("crl.pem"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ca_file_path");
    }

    /** Reloads while clients connect: none that is revoked stays, whatever moment it came at. */
    @Test
    void shouldMissNobodyWhoConnectsDuringAReload() throws Exception {
        Server server = server(SocketMode.TCP, requiring());
        ChannelOptions options = RpcFixture.PATIENT.withMaxRetry(0).withSslOptions(client("alice"));
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            channels.add(fixture.channel(server, options.withConnectionGroup("group " + i)));
        }
        certificates.revoke("alice");

        List<Thread> clients =
                channels.stream()
                        .map(channel -> Thread.ofVirtual().start(() -> call(channel)))
                        .toList();
        server.reloadCertificates();
        for (Thread client : clients) {
            client.join();
        }

        RpcFixture.eventually(
                () -> server.connections().isEmpty(), () -> "" + server.connections());
    }
}
