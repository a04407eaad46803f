// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QueuePairEndpointTest {
    private RdmaDevice a;
    private RdmaDevice b;
    private final RecordingSink sinkA = new RecordingSink();
    private final RecordingSink sinkB = new RecordingSink();

    /** A busy machine must not make a close give up. */
    private static final TransportFlags PATIENT =
            Domains.FLAGS.with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 60_000);

    @BeforeEach
    void open() {
        a = Domains.open(DeviceUnderTest.LEFT, PATIENT);
        b = Domains.open(DeviceUnderTest.RIGHT, PATIENT);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldCarryBytesBothWays() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);

        pair.left.write(pair.leftBytes("to the right".getBytes(UTF_8)));
        pair.right.write(pair.rightBytes("to the left".getBytes(UTF_8)));

        assertThat(sinkB.awaitBytes(12)).asString().isEqualTo("to the right");
        assertThat(sinkA.awaitBytes(11)).asString().isEqualTo("to the left");
    }

    @Test
    void shouldCarryMoreThanTheWindow() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        byte[] bytes = random(4 << 20);

        pair.left.write(pair.leftBytes(bytes));

        assertThat(sinkB.awaitBytes(bytes.length)).isEqualTo(bytes);
    }

    @Test
    void shouldTakeTheBytesOutOfTheBuffer() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        IOBuf data = pair.leftBytes(random(100_000));

        pair.left.write(data);

        assertThat(data.isEmpty()).isTrue();
        assertThat(sinkB.awaitBytes(100_000)).isEqualTo(random(100_000));
    }

    @Test
    void shouldHoldWhatArrivesBeforeItIsOpen() throws Exception {
        EndpointPair pair = EndpointPair.connect(a, b);
        byte[] bytes = random(3 << 20);
        pair.left.open(sinkA);
        pair.left.write(pair.leftBytes(bytes));
        Domains.await("a closed window", () -> pair.left.statistics().remoteReceiveWindow() == 0);

        pair.right.open(sinkB);

        assertThat(sinkB.awaitBytes(bytes.length)).isEqualTo(bytes);
    }

    @Test
    void shouldPinNothingWhenIdle() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        for (int length : new int[] {10, 5000, 100_000, 300}) {
            pair.left.write(pair.leftBytes(random(length)));
        }
        sinkB.awaitBytes(105_310);

        Domains.await("blocks of the writer", () -> Domains.blocksInUse(a) == 128);
        Domains.await("blocks of the reader", () -> Domains.blocksInUse(b) == 128);
    }

    @Test
    void shouldRefuseUnregisteredMemoryAndGoOn() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment foreign = arena.allocate(100);
            IOBuf data = a.pool().buffer().appendUserData(foreign, -1, () -> {});

            assertThatThrownBy(() -> pair.left.write(data))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            e -> assertThat(e.error()).isEqualTo(TransportError.ERDMAMEM));
            assertThat(data.size()).isEqualTo(100);
            data.close();
        }

        pair.left.write(pair.leftBytes("still here".getBytes(UTF_8)));

        assertThat(sinkB.awaitBytes(10)).asString().isEqualTo("still here");
    }

    @Test
    void shouldRefuseWritesWhenTooMuchWaits() throws Exception {
        b.close();
        b = Domains.open(DeviceUnderTest.RIGHT);
        a.close();
        a =
                Domains.open(
                        DeviceUnderTest.LEFT,
                        Domains.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 1 << 20));
        EndpointPair pair = EndpointPair.connect(a, b);
        pair.left.open(sinkA);
        pair.left.write(pair.leftBytes(random(3 << 20)));
        IOBuf more = pair.leftBytes(random(10));

        assertThatThrownBy(() -> pair.left.write(more))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.EOVERCROWDED));
        assertThat(more.size()).isEqualTo(10);

        pair.right.open(sinkB);
        sinkB.awaitBytes(3 << 20);
        pair.left.write(more);
        assertThat(sinkB.awaitBytes((3 << 20) + 10)).hasSize((3 << 20) + 10);
    }

    @Test
    void shouldDeliverEverythingBeforeAGracefulCloseEnds() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        byte[] bytes = random(2 << 20);
        pair.left.write(pair.leftBytes(bytes));
        pair.left.write(pair.leftBytes("tail".getBytes(UTF_8)));

        pair.left.close(EndpointPair.bye());
        TransportException end = sinkA.awaitEnd();
        pair.right.peerClosed(EndpointPair.peerBye());

        assertThat(end.error()).isEqualTo(TransportError.ECLOSE);
        assertThat(sinkB.awaitEnd().error()).isEqualTo(TransportError.EEOF);
        assertThat(sinkB.awaitBytes(bytes.length + 4)).startsWith(bytes).hasSize(bytes.length + 4);
        Domains.awaitBlocks(a);
        Domains.awaitBlocks(b);
    }

    @Test
    void shouldRefuseWritesAfterTheEnd() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        pair.left.close(EndpointPair.bye());
        sinkA.awaitEnd();
        IOBuf data = pair.leftBytes(random(10));

        assertThatThrownBy(() -> pair.left.write(data))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.ECLOSE));
        data.close();
    }

    @Test
    void shouldEndWithAnRdmaErrorWhenThePeerVanishes() throws Exception {
        DeviceUnderTest.assumeRetriesEnd();
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        sinkB.awaitOpen();
        pair.right.abort(EndpointPair.bye());
        sinkB.awaitEnd();

        pair.left.write(pair.leftBytes(random(100)));

        assertThat(sinkA.awaitEnd().error()).isEqualTo(TransportError.ERDMA);
        Domains.awaitBlocks(a);
    }

    @Test
    void shouldPreferThePeersEndToAFailedRequest() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        sinkA.awaitOpen();
        sinkB.awaitOpen();
        pair.right.abort(EndpointPair.bye());
        sinkB.awaitEnd();
        pair.left.write(pair.leftBytes(random(100)));

        pair.left.peerClosed(EndpointPair.peerBye());

        assertThat(sinkA.awaitEnd().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldEndAConnectionWhoseHandlerFails() throws Exception {
        RecordingSink faulty =
                new RecordingSink() {
                    @Override
                    public void onData(IOBuf received) {
                        throw new IllegalStateException("on purpose");
                    }
                };
        EndpointPair pair = EndpointPair.open(a, b, sinkA, faulty);

        pair.left.write(pair.leftBytes(random(100)));

        assertThat(faulty.awaitEnd().error()).isEqualTo(TransportError.EINTERNAL);
    }

    @Test
    void shouldEndAnEndpointThatWasNeverConnected() throws Exception {
        RdmaEndpoint endpoint = a.endpoints().allocate(Side.CLIENT);

        endpoint.abort(EndpointPair.bye());

        Domains.await("the end", () -> a.connections() == 0);
        Domains.awaitBlocks(a);
    }

    @Test
    void shouldSendRegisteredMemoryOfTheUserWithoutCopying() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        byte[] bytes = random(50_000);
        Thread[] releaser = new Thread[1];
        try (Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(60_000);
            var registered = a.pool().register(own);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, own, 1234, bytes.length);
            IOBuf data =
                    a.pool()
                            .buffer()
                            .appendUserData(
                                    registered,
                                    1234,
                                    bytes.length,
                                    () -> releaser[0] = Thread.currentThread());

            pair.left.write(data);

            assertThat(sinkB.awaitBytes(bytes.length)).isEqualTo(bytes);
            Domains.await("the release", () -> releaser[0] != null);
            registered.close();
        }
        assertThat(releaser[0].getName()).startsWith("verbena-rdma-");
    }

    /** For example what came over TCP and is passed on. */
    @Test
    void shouldCopyMemoryThatMayBeCopied() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        byte[] bytes = random(50_000);
        AtomicInteger releases = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(bytes.length);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, own, 0, bytes.length);
            IOBuf data = pair.leftBytes("before".getBytes(UTF_8));
            data.appendUserData(own, BlockPool.COPIED_WHEN_SENT, releases::incrementAndGet);
            data.append("after".getBytes(UTF_8));

            pair.left.write(data);

            assertThat(releases).as("released by the write, which has copied it").hasValue(1);
            assertThat(data.isEmpty()).isTrue();
        }
        byte[] received = sinkB.awaitBytes(6 + bytes.length + 5);
        assertThat(received).startsWith("before".getBytes(UTF_8)).endsWith("after".getBytes(UTF_8));
        assertThat(Arrays.copyOfRange(received, 6, 6 + bytes.length)).isEqualTo(bytes);
    }

    /** What several threads write for the next pass arrives in the order of each of them. */
    @Test
    void shouldSendWhatWasWrittenForTheNextPass() throws Exception {
        EndpointPair pair = EndpointPair.open(a, b, sinkA, sinkB);
        CountDownLatch isWritten = new CountDownLatch(1);
        a.dispatchers()
                .of(Side.CLIENT)
                .getFirst()
                .execute(
                        () -> {
                            for (int i = 0; i < 1000; i++) {
                                pair.left.writeSoon(pair.leftBytes(new byte[] {(byte) i}));
                            }
                            isWritten.countDown();
                        });

        assertThat(isWritten.await(20, TimeUnit.SECONDS)).isTrue();
        byte[] received = sinkB.awaitBytes(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(received[i]).isEqualTo((byte) i);
        }
    }

    @Test
    void shouldUseAQueuePairAgainOnlyForItsNewOwner() throws Exception {
        TransportFlags one = Domains.FLAGS.with(TransportFlag.RDMA_PREPARED_QP_CNT, 1);
        try (RdmaDevice first = Domains.open(DeviceUnderTest.LEFT, one);
                RdmaDevice second = Domains.open(DeviceUnderTest.RIGHT, one)) {
            for (int i = 0; i < 50; i++) {
                RecordingSink left = new RecordingSink();
                RecordingSink right = new RecordingSink();
                EndpointPair pair = EndpointPair.open(first, second, left, right);
                byte[] mine = {(byte) i, (byte) (i + 1)};
                pair.left.write(pair.leftBytes(mine));
                assertThat(right.awaitBytes(2)).isEqualTo(mine);

                // ends with requests of both sides still in flight
                pair.left.write(pair.leftBytes(new byte[200_000]));
                pair.right.write(pair.rightBytes(new byte[200_000]));
                pair.left.abort(EndpointPair.bye());
                left.awaitEnd();
                pair.right.peerClosed(EndpointPair.peerBye());
                right.awaitEnd();
            }
        }
    }
}
