// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.testing.FreePort;
import io.verbena.testing.PlayedRegistry;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.PemContext;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists on a web server whose certificate the JVM trusts, or does not. */
class HttpsListTest {
    @TempDir private static Path folder;
    private static TestCertificates certificates;

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final Server first = fixture.server(ServerOptions.DEFAULT);
    private final Server second = fixture.server(ServerOptions.DEFAULT);
    private final int port = FreePort.choose();
    private SSLContext usual;
    private PlayedRegistry web;

    @BeforeAll
    static void issue() {
        certificates = TestCertificates.in(folder).issue("elsewhere", "DNS:elsewhere.example", 30);
        certificates.run(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30"
                        + " -subj /CN=stranger -addext subjectAltName=IP:127.0.0.1"
                        + " -keyout stranger.key -out stranger.pem");
    }

    @BeforeEach
    void trustTheAuthority() throws Exception {
        usual = SSLContext.getDefault();
        SSLContext.setDefault(
                PemContext.of(
                        Optional.of(certificates.file("ca.pem")),
                        Optional.empty(),
                        Optional.empty()));
    }

    @AfterEach
    void close() {
        fixture.close();
        SSLContext.setDefault(usual);
        web.close();
    }

    /** Has the web server, or another one in its place, list a server. */
    private void list(Server server, String certificate) {
        if (web != null) {
            web.close();
        }
        web =
                new PlayedRegistry(
                        port,
                        _ -> PlayedRegistry.Answer.ok(RpcFixture.addressOf(server)),
                        Optional.of(
                                PemContext.of(
                                        Optional.empty(),
                                        Optional.of(certificates.file(certificate + ".pem")),
                                        Optional.of(certificates.file(certificate + ".key")))));
    }

    private Channel channel() {
        return fixture.closing(
                Channel.open(
                        fixture.clientSide.node,
                        "https://127.0.0.1:" + port + "/servers",
                        "rr",
                        RpcFixture.PATIENT));
    }

    /** {@return a channel that has a list: the first may take too long on a busy machine} */
    private Channel listed() {
        Channel channel = channel();
        Eventually.be(0, () -> code(channel));
        return channel;
    }

    /** {@return why the list may be out of date} */
    private String problem() {
        return fixture.clientSide.node.clusters().getFirst().problem();
    }

    private InetSocketAddress called(Channel channel) {
        try (ClientController call = channel.controller()) {
            assertThat(EchoCalls.echo(channel, call, "x")).as(call.errorText()).isEqualTo("x");
            return call.remoteSide();
        }
    }

    private static int code(Channel channel) {
        try (ClientController call = channel.controller()) {
            EchoCalls.echo(channel, call, "x");
            return call.errorCode();
        }
    }

    @Test
    void shouldFindServersIfTheCertificateIsTrusted() {
        list(first, "server");

        assertThat(called(listed())).isEqualTo(first.address());

        assertThat(web.lines()).contains("GET /servers");
        Eventually.be("", this::problem);
    }

    @ParameterizedTest
    @CsvSource({
        "stranger, unable to find valid certification path",
        "elsewhere, No subject alternative names matching IP address 127.0.0.1",
    })
    void shouldSayWhyTheCertificateIsRefusedAndAskAgain(String certificate, String reason) {
        list(first, certificate);
        Channel channel = channel();

        assertThat(code(channel)).isEqualTo(RpcError.ENODATA.code());
        Eventually.become(() -> problem().contains(reason), this::problem);
        assertThat(web.lines()).isEmpty();

        list(first, "server");
        Eventually.be(0, () -> code(channel));
        // servers are called as soon as they are known, which may be before that is noted
        Eventually.be("", this::problem);
    }

    @Test
    void shouldKeepTheListWhileTheCertificateIsNotTrusted() {
        list(first, "server");
        Channel channel = listed();
        assertThat(called(channel)).isEqualTo(first.address());

        list(second, "stranger");
        Eventually.become(() -> problem().contains("certification path"), this::problem);
        assertThat(called(channel)).isEqualTo(first.address());

        list(second, "server");
        Eventually.be(second.address(), () -> called(channel));
        Eventually.be("", this::problem);
    }
}
