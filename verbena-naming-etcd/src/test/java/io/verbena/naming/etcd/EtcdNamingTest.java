// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.Eventually;
import io.verbena.testing.PlayedRegistry;
import io.verbena.testing.PlayedRegistry.Answer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a real etcd does not do on demand; the rest is tested with one, in the system tests. */
class EtcdNamingTest {
    private static final ServerNode SERVER =
            new ServerNode(
                    new InetSocketAddress(InetAddress.ofLiteral("10.0.0.5"), 99), "zone=a w=3");

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Answer range(String revision) {
        return Answer.ok(
                """
                {"header":{"revision":"REVISION"},"kvs":[{"key":"KEY","value":"VALUE"}],"count":"1"}
                """
                        .replace("REVISION", revision)
                        .replace("KEY", encoded("echo/10.0.0.5:99"))
                        .replace("VALUE", encoded("zone=a w=3")));
    }

    @Test
    void shouldReadEverythingAgainWhenItsRevisionWasCompacted() {
        List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger watches = new AtomicInteger();
        PlayedRegistry.Script script =
                request -> {
                    if (request.line().endsWith("/range")) {
                        return range("41");
                    }
                    if (watches.incrementAndGet() > 1) {
                        end.await();
                    }
                    return Answer.ok(
                            """
                            {"result":{"header":{"revision":"60"},"created":true}}
                            {"result":{"canceled":true,"compact_revision":"50"}}
                            """);
                };
        try (PlayedRegistry etcd = new PlayedRegistry(script);
                NamingService.Watch _ =
                        new EtcdNaming().watch(etcd.address() + "/echo", lists::add)) {
            Eventually.become(() -> watches.get() == 2 && lists.size() == 2, etcd::lines);

            assertThat(lists).containsExactly(List.of(SERVER), List.of(SERVER));
            assertThat(etcd.requests().get(1).body())
                    .contains("\"start_revision\":\"42\"")
                    .contains(encoded("echo/"), encoded("echo0"));
            end.countDown();
        }
    }

    @Test
    void shouldAskAnotherMemberAfterAFailure() {
        List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        try (PlayedRegistry bad = new PlayedRegistry(_ -> new Answer(503, Map.of(), "no leader"));
                PlayedRegistry good = new PlayedRegistry(_ -> range("1"));
                NamingService.Watch _ =
                        new EtcdNaming()
                                .watch(
                                        bad.address() + "," + good.address() + "/echo",
                                        lists::add)) {
            Eventually.become(() -> !lists.isEmpty(), () -> bad.lines() + " " + good.lines());

            assertThat(lists.getFirst()).containsExactly(SERVER);
        }
    }

    @Test
    void shouldAnnounceAgainWhenTheLeaseIsGone() {
        PlayedRegistry.Script script =
                request ->
                        switch (request.line()) {
                            case "POST /v3/lease/grant" ->
                                    Answer.ok("{\"ID\":\"7\",\"TTL\":\"1\"}");
                            // etcd leaves out a TTL of 0
                            case "POST /v3/lease/keepalive" ->
                                    Answer.ok("{\"result\":{\"ID\":\"7\"}}");
                            default -> Answer.ok("{}");
                        };
        try (PlayedRegistry etcd = new PlayedRegistry(script)) {
            NamingService.Registration registration =
                    new EtcdNaming().register(etcd.address() + "/echo?lease_ms=1000", SERVER);
            Eventually.become(() -> etcd.lines().size() >= 5, etcd::lines);

            registration.close();

            assertThat(etcd.lines().subList(0, 5))
                    .containsExactly(
                            "POST /v3/lease/grant",
                            "POST /v3/kv/put",
                            "POST /v3/lease/keepalive",
                            "POST /v3/lease/grant",
                            "POST /v3/kv/put");
            assertThat(etcd.lines().getLast()).isEqualTo("POST /v3/lease/revoke");
            assertThat(etcd.requests().get(1).body())
                    .contains(
                            encoded("echo/10.0.0.5:99"), encoded("zone=a w=3"), "\"lease\":\"7\"");
        }
    }

    @Test
    void shouldAuthenticateAgainWhenItsTokenHasEnded() {
        AtomicInteger logins = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        PlayedRegistry.Script script =
                request -> {
                    if (request.line().endsWith("/authenticate")) {
                        assertThat(request.body()).contains("alice", "a:b");
                        return Answer.ok("{\"token\":\"T" + logins.incrementAndGet() + "\"}");
                    }
                    if (request.line().endsWith("/range")) {
                        return request.headers().get("Authorization").contains("T1")
                                ? new Answer(401, Map.of(), "invalid auth token")
                                : range("1");
                    }
                    end.await();
                    return Answer.ok("");
                };
        EtcdNaming naming = new EtcdNaming(Map.of("ETCDCTL_USER", "alice:a:b"));
        try (PlayedRegistry etcd = new PlayedRegistry(script);
                NamingService.Watch _ = naming.watch(etcd.address() + "/echo", lists::add)) {
            Eventually.become(() -> !lists.isEmpty(), etcd::lines);

            assertThat(etcd.lines().subList(0, 4))
                    .containsExactly(
                            "POST /v3/auth/authenticate",
                            "POST /v3/kv/range",
                            "POST /v3/auth/authenticate",
                            "POST /v3/kv/range");
            end.countDown();
        }
    }

    @Test
    void shouldNotShowThePassword() {
        EtcdUser user = EtcdUser.of(Map.of("ETCDCTL_USER", "alice", "ETCDCTL_PASSWORD", "secret"));

        assertThat(user.password()).isEqualTo("secret");
        assertThat(user.toString()).isEqualTo("alice");
    }

    @Test
    void shouldRejectOtherNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EtcdNaming().watch("host:1/p?tls=maybe", _ -> {}));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new EtcdNaming(Map.of("ETCDCTL_CACERT", "/no/such/file"))
                                        .watch("host:1/p?tls=true", _ -> {}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EtcdNaming().watch("host:1", _ -> {}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EtcdNaming().register("h/p?lease_ms=x", SERVER));
    }
}
