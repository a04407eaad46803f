// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.transport.SocketMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server whose whole heap is full for a while, as seen by those who are connected, by who
 * connects afterwards, and by who closes it.
 */
class FullHeapTest {
    private static final int TRIES = Integer.getInteger("verbena.test.fullHeaps", 1);
    private static final int FULL_MS = 1500;
    private static final int CALLERS = 2;
    private static final ChannelOptions HASTY =
            ChannelOptions.DEFAULT.withTimeoutMs(300).withConnectTimeoutMs(300).withMaxRetry(0);

    /** A call that a full heap has swallowed is not answered any more. */
    private static final ChannelOptions PATIENT =
            ChannelOptions.DEFAULT.withTimeoutMs(1000).withConnectTimeoutMs(2000);

    private final AtomicInteger groups = new AtomicInteger();
    private volatile boolean isOver;

    static Stream<SocketMode> tries() {
        return Stream.concat(
                Collections.nCopies(TRIES, SocketMode.TCP).stream(),
                Collections.nCopies(TRIES, SocketMode.RDMA).stream());
    }

    /** The time is for one try on a busy machine, where each collection of the heap takes long. */
    @ParameterizedTest
    @MethodSource("tries")
    @Timeout(180)
    void shouldServeAgainAndCloseWhenItsHeapWasFull(SocketMode mode) throws Exception {
        try (RpcFixture fixture = new RpcFixture(mode);
                ChildJvm child =
                        ChildJvm.start(
                                Duration.ofSeconds(60),
                                List.of("-Xmx64m", "-XX:MaxDirectMemorySize=512m"),
                                FullHeapServerProgram.class,
                                mode)) {
            String address = "127.0.0.1:" + answer(child);
            RpcNode node = fixture.clientSide.node;
            Channel channel =
                    fixture.closing(Channel.open(node, address, PATIENT.withSocketMode(mode)));
            shouldServe(channel, mode, child);

            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String group = "caller-" + i;
                callers.add(Thread.ofPlatform().start(() -> callOn(node, address, mode, group)));
                callers.add(Thread.ofPlatform().start(() -> connect(node, address, mode)));
            }
            child.tell(FullHeapServerProgram.FILL + " " + FULL_MS);
            String filled = answer(child);
            isOver = true;
            for (Thread caller : callers) {
                caller.join();
            }

            assertThat(filled).isEqualTo(FullHeapServerProgram.FILLED);
            shouldServe(channel, mode, child);
            Channel late =
                    fixture.closing(
                            Channel.open(
                                    node,
                                    address,
                                    PATIENT.withSocketMode(mode).withConnectionGroup("late")));
            shouldServe(late, mode, child);
            child.tell(FullHeapServerProgram.CLOSE);
            assertThat(answer(child)).isEqualTo(FullHeapServerProgram.CLOSED);
            child.finish();
        }
    }

    /** Calls on one connection. */
    private void callOn(RpcNode node, String address, SocketMode mode, String group) {
        try (Channel channel =
                Channel.open(
                        node, address, HASTY.withSocketMode(mode).withConnectionGroup(group))) {
            while (!isOver) {
                call(channel);
            }
        }
    }

    /** Calls once on each of many connections. */
    private void connect(RpcNode node, String address, SocketMode mode) {
        while (!isOver) {
            String group = "group-" + groups.incrementAndGet();
            try (Channel channel =
                    Channel.open(
                            node, address, HASTY.withSocketMode(mode).withConnectionGroup(group))) {
                call(channel);
            }
        }
    }

    private void call(Channel channel) {
        try (ClientController controller = channel.controller()) {
            // answered or not: its server may have no memory for that
            String _ = EchoCalls.echo(channel, controller, "x");
        }
    }

    private static void shouldServe(Channel channel, SocketMode mode, ChildJvm child) {
        AtomicReference<String> last = new AtomicReference<>();
        RpcFixture.eventually(
                () -> {
                    try (ClientController controller = channel.controller()) {
                        String answer = EchoCalls.echo(channel, controller, "small");
                        last.set(answer + controller.errorText() + " " + controller.isRdma());
                        return answer.equals("small")
                                && controller.isRdma() == (mode == SocketMode.RDMA);
                    }
                },
                () -> last + ", server: " + dump(child));
    }

    private static String dump(ChildJvm child) {
        try {
            child.tell(FullHeapServerProgram.DUMP);
            return answer(child);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String answer(ChildJvm child) throws InterruptedException {
        String line = child.line();
        // behind what the JVM may have begun to print of a thread that failed
        while (!line.contains(FullHeapServerProgram.ANSWER)) {
            System.out.println("server: " + line);
            line = child.line();
        }
        return line.substring(
                line.indexOf(FullHeapServerProgram.ANSWER) + FullHeapServerProgram.ANSWER.length());
    }
}
