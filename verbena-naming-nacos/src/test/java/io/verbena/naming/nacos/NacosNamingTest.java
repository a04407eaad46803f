// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.nacos;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.Eventually;
import io.verbena.testing.PlayedRegistry;
import io.verbena.testing.PlayedRegistry.Answer;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.PemContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against the bodies that Nacos' documentation shows, since there is no Nacos to test with. */
class NacosNamingTest {
    /**
     * From the documentation of /nacos/v1/ns/instance/list; the second and third are not usable.
     */
    private static final String LIST =
            """
            {
              "name": "DEFAULT_GROUP@@echo", "groupName": "DEFAULT_GROUP", "clusters": "", "cacheMillis": CACHE_MS,
              "hosts": [
                {"instanceId": "10.10.10.10#8888#DEFAULT#DEFAULT_GROUP@@echo", "ip": "10.10.10.10", "port": 8888,
                 "weight": 2.0, "healthy": true, "enabled": true, "ephemeral": true, "clusterName": "DEFAULT",
                 "serviceName": "DEFAULT_GROUP@@echo", "metadata": {"tag": "zone=a"},
                 "instanceHeartBeatInterval": 5000, "instanceIdGenerator": "simple",
                 "instanceHeartBeatTimeOut": 15000, "ipDeleteTimeout": 30000},
                {"ip": "10.10.10.11", "port": 8888, "weight": 0.0, "healthy": true, "enabled": true},
                {"ip": "10.10.10.12", "port": 8888, "weight": 1.0, "healthy": true, "enabled": false},
                {"ip": "10.10.10.13", "port": 8888, "weight": 0.2, "healthy": true, "metadata": {}}
              ],
              "lastRefTime": 1528787794594, "checksum": "", "allIPs": false, "valid": true
            }
            """;

    private final List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final NamingService.Listener listener =
            new NamingService.Listener() {
                @Override
                public void onServers(List<ServerNode> servers) {
                    lists.add(servers);
                }

                @Override
                public void onFailure(Throwable cause) {
                    failures.add(cause);
                }
            };

    private static String list(int cacheMs) {
        return LIST.replace("CACHE_MS", Integer.toString(cacheMs));
    }

    private static ServerNode node(String host, int port, String tag) {
        return new ServerNode(new InetSocketAddress(InetAddress.ofLiteral(host), port), tag);
    }

    @Test
    void shouldAskAsOftenAsNacosSays() {
        try (PlayedRegistry nacos = new PlayedRegistry(_ -> Answer.ok(list(1)));
                NamingService.Watch _ =
                        new NacosNaming(Map.of())
                                .watch(
                                        nacos.address() + "/echo?groupName=g&namespaceId=n",
                                        listener)) {
            Eventually.become(() -> nacos.lines().size() >= 2, nacos::lines);

            assertThat(lists)
                    .containsExactly(
                            List.of(
                                    node("10.10.10.10", 8888, "zone=a w=2"),
                                    node("10.10.10.13", 8888, "")));
            assertThat(nacos.lines().getFirst())
                    .startsWith("GET /nacos/v1/ns/instance/list?serviceName=echo&healthyOnly=true")
                    .contains("groupName=g", "namespaceId=n");
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void shouldReportFailuresAndRecover() {
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        answers.add(new Answer(500, Map.of(), "caused: the server is not ready"));
        answers.add(Answer.ok("not json"));
        answers.add(Answer.ok("{}"));
        answers.add(Answer.ok("{\"hosts\": [{\"ip\": \"10.0.0.1\"}]}"));
        answers.add(Answer.ok(list(1)));
        try (PlayedRegistry nacos = new PlayedRegistry(_ -> answers.take());
                NamingService.Watch _ =
                        new NacosNaming(Map.of()).watch(nacos.address() + "/echo", listener)) {
            Eventually.become(() -> lists.size() == 1, () -> failures);

            assertThat(failures)
                    .extracting(Throwable::getMessage)
                    .satisfiesExactly(
                            first -> assertThat(first).contains("500 caused: the server"),
                            second -> assertThat(second).contains("understood: \"not json\""),
                            third -> assertThat(third).contains("understood: \"{}\""),
                            last -> assertThat(last).contains("10.0.0.1"));
            assertThat(lists.getFirst()).hasSize(2);
        }
    }

    @Test
    void shouldReportAnEmptyList() {
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        answers.add(Answer.ok(list(1)));
        answers.add(Answer.ok("{\"name\": \"echo\", \"hosts\": [], \"cacheMillis\": 1}"));
        try (PlayedRegistry nacos = new PlayedRegistry(_ -> answers.take());
                NamingService.Watch _ =
                        new NacosNaming(Map.of()).watch(nacos.address() + "/echo", listener)) {
            Eventually.become(() -> lists.size() == 2, () -> failures);

            assertThat(lists.getLast()).isEmpty();
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void shouldRegisterBeatAndLeave() {
        try (PlayedRegistry nacos =
                new PlayedRegistry(
                        request ->
                                Answer.ok(
                                        request.line().contains("/beat")
                                                ? "{\"clientBeatInterval\":5000,\"code\":20404,"
                                                        + "\"lightBeatEnabled\":true}"
                                                : "ok"))) {
            NamingService.Registration registration =
                    new NacosNaming(Map.of())
                            .register(
                                    nacos.address() + "/echo?groupName=g&clusters=c1,c2",
                                    node("10.0.0.5", 99, "zone=a w=3"));
            Eventually.be(true, registration::isListed);

            // the beat is answered with: unknown
            Eventually.become(() -> nacos.lines().size() == 3, nacos::lines);
            registration.close();

            String instance =
                    "serviceName=echo&groupName=g&clusterName=c1&ip=10.0.0.5&port=99&ephemeral=true";
            String register =
                    "POST /nacos/v1/ns/instance?"
                            + instance
                            + "&weight=3&metadata={\"tag\":\"zone=a\"}";
            assertThat(nacos.lines())
                    .containsExactly(
                            register,
                            "PUT /nacos/v1/ns/instance/beat?"
                                    + instance
                                    + "&beat={\"serviceName\":\"echo\",\"cluster\":\"c1\","
                                    + "\"ip\":\"10.0.0.5\",\"port\":99,\"weight\":3,"
                                    + "\"metadata\":{\"tag\":\"zone=a\"},\"scheduled\":true}",
                            register,
                            "DELETE /nacos/v1/ns/instance?" + instance);
        }
    }

    @Test
    void shouldLogInAgainWhenItsTokenIsRefused() {
        List<String> tokens = new CopyOnWriteArrayList<>(List.of("one", "two"));
        PlayedRegistry.Script script =
                request -> {
                    if (request.line().contains("/auth/login")) {
                        return Answer.ok(
                                "{\"accessToken\":\""
                                        + tokens.removeFirst()
                                        + "\",\"tokenTtl\":18000}");
                    }
                    return request.line().endsWith("accessToken=two")
                            ? Answer.ok(list(10_000))
                            : new Answer(403, Map.of(), "token invalid!");
                };
        try (PlayedRegistry nacos = new PlayedRegistry(script);
                NamingService.Watch _ =
                        new NacosNaming(Map.of("NACOS_USERNAME", "u", "NACOS_PASSWORD", "p&"))
                                .watch(nacos.address() + "/echo", listener)) {
            Eventually.become(() -> lists.size() == 1, nacos::lines);

            assertThat(failures).hasSize(1);
            assertThat(nacos.lines().getFirst())
                    .startsWith("POST /nacos/v1/auth/login?")
                    .contains("username=u", "password=p&");
        }
    }

    @Test
    void shouldLogInOverTls(@TempDir Path folder) {
        TestCertificates certificates = TestCertificates.in(folder);
        Map<String, String> environment =
                Map.of(
                        "NACOS_USERNAME", "u",
                        "NACOS_PASSWORD", "secret",
                        "NACOS_CACERT", certificates.file("ca.pem").toString());
        PlayedRegistry.Script script =
                request ->
                        Answer.ok(
                                request.line().contains("/auth/login")
                                        ? "{\"accessToken\":\"one\"}"
                                        : list(10_000));
        try (PlayedRegistry nacos =
                        new PlayedRegistry(
                                script,
                                Optional.of(
                                        PemContext.of(
                                                Optional.empty(),
                                                Optional.of(certificates.file("server.pem")),
                                                Optional.of(certificates.file("server.key")))));
                NamingService.Watch _ =
                        new NacosNaming(environment)
                                .watch(nacos.address() + "/echo?tls=true", listener)) {
            Eventually.become(() -> lists.size() == 1, () -> failures);

            assertThat(nacos.lines().getLast()).contains("accessToken=one").doesNotContain("tls=");
        }
    }

    @Test
    void shouldNotShowThePasswordWhenItIsRefused() {
        try (PlayedRegistry nacos =
                        new PlayedRegistry(_ -> new Answer(403, Map.of(), "unknown user!"));
                NamingService.Watch _ =
                        new NacosNaming(Map.of("NACOS_USERNAME", "u", "NACOS_PASSWORD", "secret"))
                                .watch(nacos.address() + "/echo", listener)) {
            Eventually.become(() -> !failures.isEmpty(), nacos::lines);

            assertThat(failures.getFirst().getMessage())
                    .contains("/nacos/v1/auth/login: 403 unknown user!")
                    .doesNotContain("secret");
        }
    }
}
