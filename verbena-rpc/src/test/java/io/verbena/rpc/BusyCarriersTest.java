// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.ChildJvm;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client whose virtual threads compute all the time still learns that its server is gone. */
@Tag("quiet")
class BusyCarriersTest {
    private static final int TIMEOUT_MS = 30_000;

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
                var future =
                        EchoCalls.start(
                                channel, async, EchoCalls.request(EchoServerProgram.SILENCE));
                System.out.println("calling");
                EchoCalls.echo(channel, blocking, EchoServerProgram.SILENCE);
                System.out.println(blocking.errorCode());
                System.out.println(outcome(future));
            }
            System.exit(0);
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
            assertThat(client.line()).isEqualTo("calling");
            long start = System.nanoTime();

            server.kill();

            for (int i = 0; i < 2; i++) {
                assertThat(client.line())
                        .isNotEqualTo("0")
                        .isNotEqualTo(Integer.toString(RpcError.ERPCTIMEDOUT.code()));
            }
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                    .isLessThan(LATEST_MS);
        }
    }
}
