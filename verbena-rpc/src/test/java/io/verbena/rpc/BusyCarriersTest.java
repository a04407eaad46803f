// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.ChildJvm;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client whose virtual threads compute all the time still learns that its server is gone. */
@Tag("quiet")
class BusyCarriersTest {
    private static final int TIMEOUT_MS = 30_000;

    /** That of calls which must end by it. */
    private static final int DEADLINE_MS = 200;

    /** Far below the deadline of the calls; a second on a machine that does nothing else. */
    private static final long LATEST_MS = 5_000;

    /** The client, in a process with one carrier. */
    static final class Client {
        private Client() {}

        /** Runs it; the arguments are a {@link SocketMode} and the server's port. */
        static void main(String[] arguments) throws Exception {
            SocketMode mode = SocketMode.valueOf(arguments[0]);
            Properties flags = new Properties();
            flags.setProperty("rdma_device", "soft1");
            try (RpcNode node = RpcNode.open(mode, flags);
                    Channel channel =
                            Channel.open(
                                    node,
                                    "127.0.0.1:" + arguments[1],
                                    ChannelOptions.DEFAULT
                                            .withSocketMode(mode)
                                            .withTimeoutMs(TIMEOUT_MS)
                                            .withMaxRetry(0));
                    ClientController first = channel.controller();
                    ClientController blocking = channel.controller();
                    ClientController async = channel.controller()) {
                EchoCalls.echo(channel, first, "connect");
                Thread _ = Thread.ofVirtual().name("busy").start(Client::spin);
                List<Caller> combined = combined(channel);
                for (Caller caller : combined) {
                    System.out.println(codeAfter(caller, DEADLINE_MS));
                }
                List<Future<Integer>> waiting = new ArrayList<>();
                for (Caller caller : combined) {
                    FutureTask<Integer> task = new FutureTask<>(() -> codeAfter(caller, -1));
                    Thread _ = Thread.ofPlatform().daemon().name("waiting").start(task);
                    waiting.add(task);
                }
                var future =
                        EchoCalls.start(
                                channel, async, EchoCalls.request(EchoServerProgram.SILENCE));
                System.out.println("calling");
                EchoCalls.echo(channel, blocking, EchoServerProgram.SILENCE);
                System.out.println(blocking.errorCode());
                System.out.println(outcome(future));
                for (Future<Integer> each : waiting) {
                    System.out.println(each.get());
                }
            }
            System.exit(0);
        }

        private static List<Caller> combined(Channel channel) {
            Caller selective = SelectiveChannel.of(List.of(channel, channel)).withMaxRetry(0);
            Caller parallel = ParallelChannel.of(List.of(channel, channel));
            return List.of(selective, parallel, ParallelChannel.of(List.of(selective, parallel)));
        }

        /** {@return the error of a call that is never answered} */
        private static int codeAfter(Caller caller, int timeoutMs) {
            try (ClientCall call = caller.newCall()) {
                if (timeoutMs > 0) {
                    call.setTimeoutMs(timeoutMs);
                }
                var _ =
                        caller.call(
                                EchoCalls.ECHO, EchoCalls.request(EchoServerProgram.SILENCE), call);
                return 0;
            } catch (RpcException e) {
                return e.code();
            }
        }

        private static int outcome(Future<EchoResponse> future) throws InterruptedException {
            try {
                future.get();
                return 0;
            } catch (ExecutionException e) {
                return ((RpcException) e.getCause()).code();
            }
        }

        private static void spin() {
            while (true) {
                Thread.onSpinWait();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldLearnThatTheServerIsGone(SocketMode mode) throws Exception {
        try (ChildJvm server = ChildJvm.start(EchoServerProgram.class, mode);
                ChildJvm client =
                        ChildJvm.start(
                                List.of(
                                        "-Djdk.virtualThreadScheduler.parallelism=1",
                                        "-Djdk.virtualThreadScheduler.maxPoolSize=1"),
                                Client.class,
                                mode,
                                server.line())) {
            assertThat(client.line()).as("selective").isEqualTo(code(RpcError.ERPCTIMEDOUT));
            assertThat(client.line()).as("parallel").isEqualTo(code(RpcError.ETOOMANYFAILS));
            assertThat(client.line()).as("nested").isEqualTo(code(RpcError.ETOOMANYFAILS));
            assertThat(client.line()).isEqualTo("calling");
            long start = System.nanoTime();

            server.kill();

            for (int i = 0; i < 5; i++) {
                assertThat(client.line())
                        .isNotEqualTo("0")
                        .isNotEqualTo(code(RpcError.ERPCTIMEDOUT));
            }
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                    .isLessThan(LATEST_MS);
        }
    }

    private static String code(RpcError error) {
        return Integer.toString(error.code());
    }
}
