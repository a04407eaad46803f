// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.naming.RestClient;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.Eventually;
import io.verbena.testing.RunningProcess;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.PemContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real etcd that wants TLS and a password; from Debian's package etcd-server. */
class SecuredEtcdTest {
    private static final Path PROGRAM = Path.of("/usr/bin/etcd");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ServerNode SERVER =
            new ServerNode(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.5"), 99), "zone=a");

    @TempDir private Path folder;

    private String host;
    private Path authority;
    private RunningProcess etcd;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Files.isExecutable(PROGRAM), "no " + PROGRAM + ": install etcd-server");
        TestCertificates certificates = TestCertificates.in(folder);
        authority = certificates.file("ca.pem");
        host = "127.0.0.1:" + freePort();
        String peers = "http://127.0.0.1:" + freePort();
        etcd =
                RunningProcess.start(
                        PATIENCE,
                        List.of(
                                PROGRAM.toString(),
                                "--data-dir=" + folder.resolve("data"),
                                "--cert-file=" + certificates.file("server.pem"),
                                "--key-file=" + certificates.file("server.key"),
                                "--listen-client-urls=https://" + host,
                                "--advertise-client-urls=https://" + host,
                                "--listen-peer-urls=" + peers,
                                "--initial-advertise-peer-urls=" + peers,
                                "--initial-cluster=default=" + peers));
        try (RestClient client =
                new RestClient(
                        List.of(host),
                        Map.of(),
                        Optional.of(
                                PemContext.of(
                                        Optional.of(authority),
                                        Optional.empty(),
                                        Optional.empty())))) {
            etcd.awaitThat(
                    "answering", () -> isDone(client, "kv/range", "{\"key\":\"" + "YQ==" + "\"}"));
            for (String[] step :
                    new String[][] {
                        {"auth/user/add", "{\"name\":\"root\",\"password\":\"secret\"}"},
                        {"auth/role/add", "{\"name\":\"root\"}"},
                        {"auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}"},
                        {"auth/enable", "{}"},
                    }) {
                assertThat(isDone(client, step[0], step[1])).as(step[0]).isTrue();
            }
        }
    }

    private static boolean isDone(RestClient client, String path, String body) {
        try {
            client.send("POST", "/v3/" + path, body, RestClient.LIMIT);
            return true;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() {
        if (etcd != null) {
            etcd.close();
        }
    }

    private EtcdNaming naming(String password) {
        return new EtcdNaming(
                Map.of("ETCDCTL_USER", "root:" + password, "ETCDCTL_CACERT", authority.toString()));
    }

    @Test
    void shouldAnnounceAndFindServersWithAPasswordOverTls() {
        String name = host + "/echo?tls=true";
        List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        try (NamingService.Watch _ = naming("secret").watch(name, lists::add)) {
            NamingService.Registration registration = naming("secret").register(name, SERVER);
            Eventually.become(
                    () -> !lists.isEmpty() && lists.getLast().equals(List.of(SERVER)),
                    () -> lists + " " + etcd);

            registration.close();

            Eventually.become(() -> lists.getLast().isEmpty(), () -> lists);
        }
    }

    @Test
    void shouldSayThatThePasswordIsWrong() {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        NamingService.Listener listener =
                new NamingService.Listener() {
                    @Override
                    public void onServers(List<ServerNode> servers) {
                        throw new AssertionError(servers);
                    }

                    @Override
                    public void onFailure(Throwable cause) {
                        failures.add(cause);
                    }
                };
        try (NamingService.Watch _ = naming("guess").watch(host + "/echo?tls=true", listener)) {
            Eventually.become(() -> !failures.isEmpty(), () -> etcd);

            assertThat(failures.getFirst()).hasMessageContaining("authenticat");
            assertThat(failures.getFirst().getMessage()).doesNotContain("guess");
        }
    }

    @Test
    void shouldNotTrustAnUnknownAuthority() {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        NamingService.Listener listener =
                new NamingService.Listener() {
                    @Override
                    public void onServers(List<ServerNode> servers) {
                        throw new AssertionError(servers);
                    }

                    @Override
                    public void onFailure(Throwable cause) {
                        failures.add(cause);
                    }
                };
        EtcdNaming trustsTheJdkOnly = new EtcdNaming(Map.of("ETCDCTL_USER", "root:secret"));
        try (NamingService.Watch _ = trustsTheJdkOnly.watch(host + "/echo?tls=true", listener)) {
            Eventually.become(() -> !failures.isEmpty(), () -> etcd);

            assertThat(failures.getFirst()).hasMessageContaining("certification path");
        }
    }
}
