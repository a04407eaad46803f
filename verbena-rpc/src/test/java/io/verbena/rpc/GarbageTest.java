// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.AllocatedBytes;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much garbage a call makes where everything runs on the dispatchers. */
class GarbageTest {
    private static final int ROUNDS = 12;
    private static final int CALLS = 6_400;
    private static final int DEPTH = 64;

    /** For both sides together, not counting the messages themselves. */
    private static final long MOST_BYTES = 180;

    private static final EchoRequest REQUEST =
            EchoRequest.newBuilder()
                    .setMessage("")
                    .setData(ByteString.copyFrom(new byte[32]))
                    .build();

    private final RpcFixture fixture = new RpcFixture(SocketMode.RDMA);

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Makes one call after another with one controller, from its own callback. */
    private static final class Caller implements Consumer<EchoResponse> {
        private final Channel channel;
        private final ClientController controller;
        private final CountDownLatch finished;
        private int left;

        Caller(Channel channel, int calls, CountDownLatch finished) {
            this.channel = channel;
            this.controller = channel.controller();
            this.left = calls;
            this.finished = finished;
        }

        void call() {
            channel.start(EchoCalls.INLINE, REQUEST, controller, this);
        }

        @Override
        public void accept(EchoResponse answer) {
            if (controller.failed() || --left == 0) {
                finished.countDown();
                return;
            }
            controller.reset();
            call();
        }
    }

    private static void makeCalls(Channel channel, int calls) throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            new Caller(channel, calls / DEPTH, finished).call();
        }
        assertThat(finished.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static long allocatedByDispatchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("verbena-rdma-dispatcher"))
                .mapToLong(AllocatedBytes::by)
                .sum();
    }

    /** {@return what the messages of one call cost on both sides} */
    private static long messageBytes() throws InvalidProtocolBufferException {
        byte[] request = REQUEST.toByteArray();
        byte[] response =
                EchoResponse.newBuilder()
                        .setMessage("")
                        .setData(REQUEST.getData())
                        .build()
                        .toByteArray();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long before = AllocatedBytes.now();
            for (int i = 0; i < CALLS; i++) {
                EchoRequest received = EchoRequest.parseFrom(request);
                EchoResponse answer =
                        EchoResponse.newBuilder()
                                .setMessage(received.getMessage())
                                .setData(received.getData())
                                .build();
                assertSame(answer, EchoResponse.parseFrom(response));
            }
            long bytes = AllocatedBytes.now() - before;
            least = Math.min(least, bytes / CALLS);
        }
        return least;
    }

    private static void assertSame(EchoResponse one, EchoResponse other) {
        if (one.getSerializedSize() != other.getSerializedSize()) {
            throw new AssertionError(one + " is not " + other);
        }
    }

    @Test
    @Timeout(110)
    void shouldMakeLittleGarbageOnTheInlinePath() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
        Channel channel =
                fixture.channel(
                        server,
                        RpcFixture.PATIENT
                                .withSocketMode(SocketMode.RDMA)
                                .withCallbackInline(true));
        long messages = messageBytes();
        long perCall = Long.MAX_VALUE;
        // until everything is compiled, which takes its time on a busy machine
        for (int round = 0; round < ROUNDS && perCall - messages > MOST_BYTES; round++) {
            long before = allocatedByDispatchers();
            makeCalls(channel, CALLS);
            perCall = Math.min(perCall, (allocatedByDispatchers() - before) / CALLS);
        }

        assertThat(perCall - messages)
                .as("bytes per call on both sides, %d, without the messages, %d", perCall, messages)
                .isLessThanOrEqualTo(MOST_BYTES);
    }
}
