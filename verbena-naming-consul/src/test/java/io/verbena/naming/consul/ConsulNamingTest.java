// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.gson.JsonParser;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the bodies that Consul's documentation shows, since there is no Consul to test with. */
class ConsulNamingTest {
    /** From the documentation of /health/service/:service, shortened by what is not read. */
    private static final String TWO =
            """
            [
              {
                "Node": {"ID": "40e4a748", "Node": "foobar", "Address": "10.1.10.12"},
                "Service": {
                  "ID": "redis", "Service": "redis", "Tags": ["primary", "v1"], "Address": "10.1.10.13",
                  "Meta": {"redis_version": "4.0"}, "Port": 8000, "Weights": {"Passing": 10, "Warning": 1}
                },
                "Checks": [{"Node": "foobar", "CheckID": "service:redis", "Status": "passing"}]
              },
              {
                "Node": {"ID": "40e4a749", "Node": "other", "Address": "10.1.10.14"},
                "Service": {"ID": "redis", "Service": "redis", "Tags": null, "Address": "", "Port": 8001},
                "Checks": []
              }
            ]
            """;

    private static final ServerNode FIRST = node("10.1.10.13", 8000, "primary w=10");
    private static final ServerNode SECOND = node("10.1.10.14", 8001, "");

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

    private static ServerNode node(String host, int port, String tag) {
        return new ServerNode(new InetSocketAddress(InetAddress.ofLiteral(host), port), tag);
    }

    private static Answer list(long index, String body) {
        return new Answer(200, Map.of("X-Consul-Index", Long.toString(index)), body);
    }

    @Test
    void shouldFollowTheListByItsIndex() {
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        answers.add(list(7, TWO));
        try (PlayedRegistry consul = new PlayedRegistry(_ -> answers.take());
                NamingService.Watch _ =
                        new ConsulNaming(Map.of())
                                .watch(consul.address() + "/redis?dc=dc1&tag=primary", listener)) {
            Eventually.be(List.of(List.of(FIRST, SECOND)), () -> List.copyOf(lists));

            answers.add(list(7, TWO));
            answers.add(list(9, "[]"));
            Eventually.become(() -> lists.size() == 2, () -> lists + " " + consul.lines());

            assertThat(lists.getLast()).isEmpty();
            assertThat(consul.lines().getFirst())
                    .startsWith("GET /v1/health/service/redis?stale&passing=true")
                    .contains("dc=dc1", "tag=primary")
                    .doesNotContain("index");
            assertThat(consul.lines().get(1)).contains("index=7", "wait=10s");
            assertThat(failures).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"20251116", "0"})
    void shouldListAServerWhoseTagIsANumberThatIsNoWeight(String tag) {
        String body = TWO.replace("null", "[\"" + tag + "\"]");
        try (PlayedRegistry consul = new PlayedRegistry(_ -> list(7, body));
                NamingService.Watch _ =
                        new ConsulNaming(Map.of()).watch(consul.address() + "/redis", listener)) {
            Eventually.become(() -> !lists.isEmpty(), () -> failures);

            assertThat(lists.getFirst())
                    .containsExactly(FIRST, new ServerNode(SECOND.address(), tag, 1));
        }
    }

    @Test
    void shouldAskForEverythingWhenTheIndexGoesBack() {
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        answers.add(list(7, TWO));
        answers.add(list(3, "[]"));
        answers.add(list(4, TWO));
        try (PlayedRegistry consul = new PlayedRegistry(_ -> answers.take());
                NamingService.Watch _ =
                        new ConsulNaming(Map.of()).watch(consul.address() + "/redis", listener)) {
            Eventually.become(() -> lists.size() == 3, () -> lists + " " + consul.lines());

            assertThat(consul.lines().get(2)).doesNotContain("index");
        }
    }

    @Test
    void shouldReportFailuresAndRecover() {
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        answers.add(new Answer(500, Map.of(), "No cluster leader"));
        answers.add(list(1, "not json"));
        answers.add(list(1, TWO));
        try (PlayedRegistry consul = new PlayedRegistry(_ -> answers.take());
                NamingService.Watch _ =
                        new ConsulNaming(Map.of()).watch(consul.address() + "/redis", listener)) {
            Eventually.become(() -> lists.size() == 1, () -> failures);

            assertThat(failures).hasSize(2);
            assertThat(failures.getFirst()).hasMessageContaining("500 No cluster leader");
            assertThat(lists).containsExactly(List.of(FIRST, SECOND));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "{\"hosts\": []}",
                "[{\"Node\": {}}]",
                "[{\"Service\": {\"Port\": \"none\"}}]"
            })
    void shouldSayWhatItDidNotUnderstand(String body) {
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        answers.add(list(5, body));
        answers.add(list(6, TWO));
        try (PlayedRegistry consul = new PlayedRegistry(_ -> answers.take());
                NamingService.Watch _ =
                        new ConsulNaming(Map.of()).watch(consul.address() + "/redis", listener)) {
            Eventually.become(() -> lists.size() == 1, () -> failures);

            assertThat(failures).hasSize(1);
            assertThat(failures.getFirst()).hasMessageContaining("not understood: \"" + body);
            assertThat(lists).containsExactly(List.of(FIRST, SECOND));
            // the list of that index was not read
            assertThat(consul.lines().get(1)).doesNotContain("index");
        }
    }

    /** Without the pause it would ask some thousand times per second. */
    @Test
    void shouldPauseWhenThereIsNoIndexToWaitFor() {
        try (PlayedRegistry consul = new PlayedRegistry(_ -> Answer.ok(TWO));
                NamingService.Watch _ =
                        new ConsulNaming(Map.of("CONSUL_HTTP_TOKEN", "secret"))
                                .watch(consul.address() + "/redis", listener)) {
            long startNs = System.nanoTime();
            Eventually.become(() -> consul.lines().size() >= 3, consul::lines);

            assertThat(System.nanoTime() - startNs).isGreaterThan(1_000_000_000);
            assertThat(lists.getFirst()).containsExactly(FIRST, SECOND);
            assertThat(consul.lines()).noneMatch(line -> line.contains("index"));
            assertThat(consul.requests())
                    .allMatch(
                            each -> each.headers().get("X-consul-token").equals(List.of("secret")));
        }
    }

    @Test
    void shouldRegisterWithACheckRenewItAndLeave() {
        ServerNode server = node("10.0.0.5", 99, "zone=a w=3");
        String id = "echo-10.0.0.5:99";
        try (PlayedRegistry consul = new PlayedRegistry(_ -> Answer.ok(""))) {
            NamingService.Registration registration =
                    new ConsulNaming(Map.of("CONSUL_HTTP_TOKEN", "secret"))
                            .register(consul.address() + "/echo", server);
            Eventually.be(true, registration::isListed);
            Eventually.become(() -> consul.lines().size() == 2, consul::lines);

            registration.close();

            assertThat(consul.lines())
                    .containsExactly(
                            "PUT /v1/agent/service/register",
                            "PUT /v1/agent/check/pass/service:" + id,
                            "PUT /v1/agent/service/deregister/" + id);
            assertThat(consul.requests())
                    .allMatch(
                            each -> each.headers().get("X-consul-token").equals(List.of("secret")));
            assertThat(JsonParser.parseString(consul.requests().getFirst().body()))
                    .isEqualTo(
                            JsonParser.parseString(
                                    """
                                    {"ID": "THE_ID", "Name": "echo", "Address": "10.0.0.5", "Port": 99,
                                     "Tags": ["zone=a"], "Weights": {"Passing": 3, "Warning": 3},
                                     "Check": {"CheckID": "service:THE_ID", "TTL": "10s", "Status": "passing",
                                               "DeregisterCriticalServiceAfter": "1m"}}
                                    """
                                            .replace("THE_ID", id)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CONSUL_HTTP_SSL, true, ''",
        "CONSUL_HTTP_ADDR, https://agent:8501, ''",
        "UNUSED, '', ?tls=true",
    })
    void shouldUseTls(String variable, String value, String parameter, @TempDir Path folder) {
        TestCertificates certificates = TestCertificates.in(folder);
        Map<String, String> environment =
                Map.of(variable, value, "CONSUL_CACERT", certificates.file("ca.pem").toString());
        try (PlayedRegistry consul =
                        new PlayedRegistry(
                                _ -> list(7, TWO),
                                Optional.of(
                                        PemContext.of(
                                                Optional.empty(),
                                                Optional.of(certificates.file("server.pem")),
                                                Optional.of(certificates.file("server.key")))));
                NamingService.Watch _ =
                        new ConsulNaming(environment)
                                .watch(consul.address() + "/redis" + parameter, listener)) {
            Eventually.become(() -> !lists.isEmpty(), () -> failures);

            assertThat(lists.getFirst()).containsExactly(FIRST, SECOND);
            assertThat(consul.lines().getFirst()).doesNotContain("tls");
        }
    }

    @Test
    void shouldRegisterAgainWhenTheAgentForgotIt() {
        try (PlayedRegistry consul =
                new PlayedRegistry(
                        request ->
                                request.line().contains("/check/pass/")
                                        ? new Answer(404, Map.of(), "Unknown check ID")
                                        : Answer.ok(""))) {
            NamingService.Registration registration =
                    new ConsulNaming(Map.of())
                            .register(consul.address() + "/echo", node("10.0.0.5", 99, ""));

            Eventually.become(
                    () ->
                            consul.lines().stream()
                                            .filter("PUT /v1/agent/service/register"::equals)
                                            .count()
                                    == 2,
                    consul::lines);
            registration.close();
        }
    }

    @Test
    void shouldAskTheAgentOfThisHostByDefault() {
        assertThat(new ConsulNaming(Map.of()).parse("redis?tag=a").hosts())
                .containsExactly("127.0.0.1:8500");
        assertThat(
                        new ConsulNaming(Map.of("CONSUL_HTTP_ADDR", "http://agent:81"))
                                .parse("redis")
                                .hosts())
                .containsExactly("agent:81");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConsulNaming(Map.of()).parse("redis?x=1"));
    }
}
