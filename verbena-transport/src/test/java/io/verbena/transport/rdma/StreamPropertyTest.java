// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;
import io.verbena.testing.Seeds;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever the sizes of queues, blocks and writes, and whatever the delays on both ends: the bytes
 * arrive as they were written, no receive queue is ever exceeded (one "not ready" would end the
 * connection: it is never retried), and in the end all credits and blocks are back.
 */
class StreamPropertyTest {
    private static final int SEEDS = Integer.getInteger("verbena.test.seeds", 25);
    private static final long FIRST = Seeds.next("StreamPropertyTest");

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + SEEDS);
    }

    /** A handler that cuts random amounts and is sometimes slow. */
    private static final class MoodySink extends PatternStream.Checker {
        private final Random random;
        private final long total;

        MoodySink(PatternStream expected, long total, long seed) {
            super(expected, total);
            this.total = total;
            this.random = new Random(seed);
        }

        @Override
        public void onData(IOBuf received) {
            if (random.nextInt(16) == 0) {
                LockSupport.parkNanos(random.nextInt(200_000));
            }
            long size = received.size();
            boolean isRest = position() + size >= total;
            check(received, isRest ? size : random.nextLong(size + 1));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldDeliverExactBytesAndReturnEverything(long seed) throws Exception {
        Random random = new Random(seed);
        TransportFlags leftFlags = randomFlags(random);
        TransportFlags rightFlags = randomFlags(random);
        try (RdmaDevice a = Domains.open(DeviceUnderTest.LEFT, leftFlags);
                RdmaDevice b =
                        Domains.open(
                                random.nextBoolean() ? DeviceUnderTest.RIGHT : DeviceUnderTest.LEFT,
                                rightFlags)) {
            long toRight = random.nextInt(3) == 0 ? 0 : random.nextLong(6 << 20);
            long toLeft = random.nextInt(3) == 0 ? 0 : random.nextLong(6 << 20);
            PatternStream pattern = new PatternStream(seed);
            MoodySink sinkA = new MoodySink(pattern, toLeft, random.nextLong());
            MoodySink sinkB = new MoodySink(pattern, toRight, random.nextLong());
            EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);

            CompletableFuture<Void> right =
                    write(pair.left, a, pattern, sinkB, new Random(random.nextLong()));
            CompletableFuture<Void> left =
                    write(pair.right, b, pattern, sinkA, new Random(random.nextLong()));
            awaitAll(sinkB, pair);
            awaitAll(sinkA, pair);
            right.join();
            left.join();

            assertIdle(pair, leftFlags, rightFlags);
            pair.left.close(EndpointPair.bye());
            sinkA.awaitEnd();
            pair.right.peerClosed(EndpointPair.peerBye());
            sinkB.awaitEnd();
            Domains.awaitBlocks(a);
            Domains.awaitBlocks(b);
        }
    }

    private static void awaitAll(MoodySink sink, EndpointPair pair) throws Exception {
        try {
            sink.awaitAll();
        } catch (TimeoutException e) {
            throw new AssertionError(
                    "stuck: " + pair.left.statistics() + " and " + pair.right.statistics(), e);
        }
    }

    private static void assertIdle(EndpointPair pair, TransportFlags left, TransportFlags right)
            throws Exception {
        RdmaDevice a = pair.leftDomain;
        RdmaDevice b = pair.rightDomain;
        int leftReceives = left.integer(TransportFlag.RDMA_RQ_SIZE);
        int rightReceives = right.integer(TransportFlag.RDMA_RQ_SIZE);
        Domains.await("blocks on the left", () -> Domains.blocksInUse(a) == leftReceives);
        Domains.await("blocks on the right", () -> Domains.blocksInUse(b) == rightReceives);
        Domains.await("credits of the left", () -> hasAllCredits(pair.left, pair.right));
        Domains.await("credits of the right", () -> hasAllCredits(pair.right, pair.left));
    }

    private static boolean hasAllCredits(RdmaEndpoint one, RdmaEndpoint other) {
        ConnectionStatistics mine = one.statistics();
        ConnectionStatistics theirs = other.statistics();
        return mine.unwrittenBytes() == 0
                && mine.remoteReceiveWindow() + theirs.unreportedReceives()
                        == mine.localWindowCapacity()
                && mine.sendWindow() + mine.unsignaledRequests() == mine.localWindowCapacity()
                && mine.sentBytes() == theirs.receivedBytes()
                && mine.sentMessages() == theirs.receivedMessages();
    }

    private static TransportFlags randomFlags(Random random) {
        return Domains.FLAGS
                .with(
                        TransportFlag.RDMA_SQ_SIZE,
                        16L + random.nextInt(60) * (long) random.nextInt(4))
                .with(
                        TransportFlag.RDMA_RQ_SIZE,
                        16L + random.nextInt(60) * (long) random.nextInt(4))
                .with(TransportFlag.RDMA_CQE_POLL_ONCE, 1 + random.nextInt(64))
                .with(TransportFlag.RDMA_MAX_SGE, random.nextInt(5))
                .with(TransportFlag.RDMA_RECV_ZEROCOPY, random.nextInt(3) > 0)
                .with(TransportFlag.RDMA_ZEROCOPY_MIN_SIZE, random.nextInt(2000))
                .with(TransportFlag.RDMA_USE_POLLING, random.nextInt(6) == 0)
                .with(TransportFlag.RDMA_SPIN_US, random.nextInt(3) * 20L)
                .with(
                        TransportFlag.RDMA_RECV_BLOCK_TYPE,
                        random.nextInt(4) == 0 ? "large" : "default");
    }

    private static CompletableFuture<Void> write(
            RdmaEndpoint endpoint,
            RdmaDevice domain,
            PatternStream pattern,
            MoodySink sink,
            Random random) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("writer")
                .start(
                        () -> {
                            try {
                                writeAll(endpoint, domain, pattern, sink.total, random);
                                done.complete(null);
                            } catch (RuntimeException | Error e) {
                                done.completeExceptionally(e);
                                sink.fail(e);
                            }
                        });
        return done;
    }

    private static void writeAll(
            RdmaEndpoint endpoint,
            RdmaDevice domain,
            PatternStream pattern,
            long total,
            Random random) {
        int longest = 1 << random.nextInt(3, 19);
        for (long position = 0; position < total; ) {
            int length = (int) Math.min(total - position, 1 + random.nextInt(longest));
            IOBuf data = domain.pool().buffer();
            for (int done = 0; done < length; ) {
                // several small pieces make requests with several elements
                int part = Math.min(length - done, 1 + random.nextInt(longest));
                IOBuf piece = pattern.buffer(domain.pool(), position + done, part);
                piece.cutInto(data, part);
                done += part;
            }
            // each piece takes a block, however short it is: the pool must have enough of them
            while (endpoint.unwrittenBytes() > Math.min(4 << 20, 1000L * longest)) {
                LockSupport.parkNanos(50_000);
            }
            endpoint.write(data);
            position += length;
            if (random.nextInt(40) == 0) {
                LockSupport.parkNanos(random.nextInt(100_000));
            }
            if (longest < 1024 && position > 300L * longest) {
                longest = 1 << 15;
            }
        }
    }
}
