// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ordinary services over RDMA: quick ones run where their requests were read, others do not. */
class ServicesInPlaceTest {
    private static final String POLLER = "verbena-rdma-server-";

    /** Does what its request says, and remembers on which kind of thread. */
    private static final class Watched extends EchoServices.Echo {
        final AtomicInteger inPlace = new AtomicInteger();
        final AtomicInteger apart = new AtomicInteger();
        final AtomicInteger blocked = new AtomicInteger();
        final CountDownLatch gate = new CountDownLatch(1);

        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            boolean isInPlace = Thread.currentThread().getName().startsWith(POLLER);
            (isInPlace ? inPlace : apart).incrementAndGet();
            if (request.getMessage().equals("wait")) {
                blocked.incrementAndGet();
                await(gate);
            }
            super.echo(controller, request, done);
        }

        private static void await(CountDownLatch gate) {
            try {
                assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.RDMA);
    private final Watched service = new Watched();
    private final Server server =
            fixture.closing(
                    new Server(fixture.serverSide.node)
                            .add(service)
                            .start(
                                    RpcFixture.anyPort(),
                                    ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA)));
    private final Channel channel =
            fixture.channel(server, RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA));

    @AfterEach
    void close() {
        service.gate.countDown();
        fixture.close();
    }

    private String call(String message) {
        try (ClientController controller = channel.controller()) {
            String answer = EchoCalls.echo(channel, controller, message);
            assertThat(controller.errorText()).isEmpty();
            return answer;
        }
    }

    private CompletableFuture<EchoResponse> start(String message) {
        return EchoCalls.start(channel, channel.controller(), EchoCalls.request(message));
    }

    @Test
    void shouldRunAQuickServiceWhereItsRequestWasRead() {
        for (int i = 0; i < RpcFixture.rounds(5000); i++) {
            assertThat(call("x" + i)).isEqualTo("x" + i);
        }

        assertThat(service.inPlace.get()).as("in place").isPositive();
    }

    @Test
    void shouldRunAServiceThatSleepsApart() {
        EchoRequest request = EchoCalls.request("sleepy").toBuilder().setSleepMs(2).build();
        for (int i = 0; i < 200; i++) {
            try (ClientController controller = channel.controller()) {
                assertThat(EchoCalls.echo(channel, controller, request)).isEqualTo("sleepy");
            }
        }

        assertThat(service.apart.get()).as("apart").isGreaterThan(150);
    }

    @Test
    void shouldAnswerOthersWhileAServiceBlocks() {
        for (int round = 0; round < 3; round++) {
            call("warm");
        }
        CompletableFuture<EchoResponse> stuck = start("wait");
        RpcFixture.eventually(() -> service.blocked.get() == 1, () -> "blocked");

        for (int i = 0; i < 100; i++) {
            assertThat(call("beside " + i)).isEqualTo("beside " + i);
        }
        assertThat(stuck).isNotDone();

        service.gate.countDown();
        assertThat(stuck.join().getMessage()).isEqualTo("wait");
    }

    /** All of them block, in place or not, and one more gets its answer. */
    @Test
    void shouldHoldThousandsOfBlockedCallsOnOneConnection() {
        int count = RpcFixture.rounds(10_000);
        List<CompletableFuture<EchoResponse>> stuck = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            stuck.add(start("wait"));
        }
        RpcFixture.eventually(
                () -> service.blocked.get() == count, () -> service.blocked.get() + "");

        assertThat(call("beside")).isEqualTo("beside");

        service.gate.countDown();
        assertThat(stuck)
                .allSatisfy(each -> assertThat(each.join().getMessage()).isEqualTo("wait"));
        assertThat(call("after")).isEqualTo("after");
    }

    /** A service that waits for a call to its own server, which comes over the same poller. */
    @Test
    void shouldLetServicesWaitForEachOther() {
        Server outer =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(new Relay(channel))
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA)));
        Channel relay = fixture.channel(outer, RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA));
        for (int i = 0; i < RpcFixture.rounds(1000); i++) {
            try (ClientController controller = relay.controller()) {
                assertThat(EchoCalls.echo(relay, controller, "far " + i)).isEqualTo("far " + i);
            }
        }
    }

    /** Answers with the answer of another server. */
    private static final class Relay extends EchoServices.Echo {
        private final Channel next;

        Relay(Channel next) {
            this.next = next;
        }

        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            try (ClientController inner = next.controller()) {
                String answer = EchoCalls.echo(next, inner, request.getMessage());
                done.accept(EchoResponse.newBuilder().setMessage(answer).build());
            }
        }
    }
}
