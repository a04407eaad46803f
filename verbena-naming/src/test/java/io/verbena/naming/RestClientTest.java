// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.testing.PlayedRegistry;
import io.verbena.testing.PlayedRegistry.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Members of a registry that stall, or are down. */
class RestClientTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(20);

    private static RestClient client(PlayedRegistry... members) {
        return new RestClient(
                List.of(members).stream().map(PlayedRegistry::address).toList(),
                Map.of(),
                Optional.empty());
    }

    /** Tells a registry over HTTP. */
    private record Told(RestClient client, Duration limit)
            implements RenewedRegistration.Announcement {
        private void put(String what) throws IOException, InterruptedException {
            client.send("PUT", "/" + what, "", limit);
        }

        @Override
        public void announce() throws IOException, InterruptedException {
            put("announce");
        }

        @Override
        public void renew() throws IOException, InterruptedException {
            put("renew");
        }

        @Override
        public void withdraw() throws IOException, InterruptedException {
            put("withdraw");
        }

        @Override
        public int members() {
            return client.members();
        }

        @Override
        public void close() {
            client.close();
        }
    }

    @Test
    void shouldGiveUpAnAnswerThatStallsAndCloseItsConnection() throws Exception {
        try (ServerSocket member = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                RestClient client =
                        new RestClient(
                                List.of("127.0.0.1:" + member.getLocalPort()),
                                Map.of(),
                                Optional.empty())) {
            CompletableFuture<Integer> end = new CompletableFuture<>();
            Thread.ofPlatform().daemon().name("member").start(() -> stall(member, end));

            assertThatThrownBy(() -> client.send("GET", "/", "", LIMIT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no whole answer within 2000 ms");

            assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo(-1);
        }
    }

    /** Says what it reads after it has begun to answer: -1 if the client closed the connection. */
    private static void stall(ServerSocket member, CompletableFuture<Integer> end) {
        try (Socket client = member.accept()) {
            byte[] request = new byte[10_000];
            int read = client.getInputStream().read(request);
            assertThat(read).isPositive();
            client.getOutputStream()
                    .write(
                            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"
                                    .getBytes(StandardCharsets.US_ASCII));
            end.complete(client.getInputStream().read());
        } catch (IOException e) {
            end.completeExceptionally(e);
        }
    }

    @Test
    void shouldAnnounceAServerAgainAfterAnAnswerThatStalls() {
        AtomicBoolean hasStalled = new AtomicBoolean();
        try (PlayedRegistry member =
                new PlayedRegistry(
                        request ->
                                request.line().endsWith("/renew") && !hasStalled.getAndSet(true)
                                        ? Answer.stalled("0123456789")
                                        : Answer.ok("{}"))) {
            RenewedRegistration registration =
                    RenewedRegistration.start(
                            "test", Duration.ofMillis(1), new Told(client(member), LIMIT));

            Eventually.become(
                    () ->
                            hasStalled.get()
                                    && member.lines().stream()
                                                    .filter("PUT /announce"::equals)
                                                    .count()
                                            >= 2,
                    member::lines);
            registration.close();
        }
    }

    @Test
    void shouldWithdrawAServerThroughAnotherMember() {
        try (PlayedRegistry one = new PlayedRegistry(_ -> Answer.ok("{}"));
                PlayedRegistry other = new PlayedRegistry(_ -> Answer.ok("{}"))) {
            RenewedRegistration registration =
                    RenewedRegistration.start(
                            "test", Duration.ofHours(1), new Told(client(one, other), LONG));
            boolean isFirst = one.lines().contains("PUT /announce");
            (isFirst ? one : other).close();

            registration.close();

            assertThat((isFirst ? other : one).lines()).containsExactly("PUT /withdraw");
        }
    }

    @Test
    void shouldNotRepeatTheWithdrawalOfAServerThatTheRegistryDoesNotKnow() {
        try (PlayedRegistry member =
                new PlayedRegistry(
                        request ->
                                request.line().endsWith("/withdraw")
                                        ? new Answer(404, Map.of(), "no such server")
                                        : Answer.ok("{}"))) {
            RenewedRegistration registration =
                    RenewedRegistration.start(
                            "test", Duration.ofHours(1), new Told(client(member), LONG));

            registration.close();

            assertThat(member.lines()).containsExactly("PUT /announce", "PUT /withdraw");
        }
    }
}
