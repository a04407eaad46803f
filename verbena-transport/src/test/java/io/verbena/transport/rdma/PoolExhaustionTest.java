// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.Block;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.Devices;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receivers whose pool is exhausted: they wait instead of failing, and others continue. */
class PoolExhaustionTest {
    /** One region of 32 MiB, 4096 blocks, a tenth of them for receives. */
    private static final BlockPoolOptions TIGHT =
            BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withDivision(1, 1, 0);

    private final RecordingSink sinkA = new RecordingSink();
    private RdmaDevice sender;
    private RdmaDevice receiver;

    @BeforeEach
    void open() {
        sender = Domains.open(DeviceUnderTest.LEFT);
        receiver = RdmaDevice.open(Devices.open(DeviceUnderTest.RIGHT), Domains.FLAGS, TIGHT);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
    }

    /** Leaves everything where it is until the test lets it continue. */
    private static final class StalledSink extends RecordingSink {
        private final AtomicBoolean isGoingOn = new AtomicBoolean();

        @Override
        public void onData(IOBuf received) {
            if (isGoingOn.get()) {
                super.onData(received);
            }
        }
    }

    @Test
    void shouldNotLetAStalledReceiverStarveAnother() throws Exception {
        StalledSink stalled = new StalledSink();
        RecordingSink busy = new RecordingSink();
        EndpointPair first = EndpointPair.open(sender, receiver, sinkA, stalled);
        EndpointPair second = EndpointPair.open(sender, receiver, new RecordingSink(), busy);
        writeUntilItWaits(first);
        Domains.await("an empty pool", () -> !receiverHasMemory());
        assertThat(first.left.unwrittenBytes()).as("what the stalled one keeps away").isPositive();

        for (int i = 1; i <= 200; i++) {
            second.left.write(second.leftBytes(new byte[8192]));
            busy.awaitBytes(i * 8192);
        }

        assertThat(busy.hasEnded()).isFalse();
    }

    /** Nothing else would give its memory back: its message may never be complete. */
    @Test
    void shouldEndTheReceiverThatKeepsMostWhenNothingMoves() throws Exception {
        StalledSink little = new StalledSink();
        StalledSink much = new StalledSink();
        EndpointPair first = EndpointPair.open(sender, receiver, sinkA, little);
        EndpointPair second = EndpointPair.open(sender, receiver, new RecordingSink(), much);
        first.left.write(first.leftBytes(new byte[64 * 8192]));
        writeUntilItWaits(second);

        TransportException reason = much.awaitEnd();

        assertThat(reason.error()).isEqualTo(TransportError.ERDMAMEM);
        assertThat(reason).hasMessageContainingAll("of which", BlockPoolOptions.MAX_REGIONS);
        Domains.await("memory", this::receiverHasMemory);
        assertThat(little.hasEnded()).isFalse();
    }

    @Test
    void shouldGoOnWhenMemoryComesBack() throws Exception {
        RecordingSink sink = new RecordingSink();
        EndpointPair pair = EndpointPair.open(sender, receiver, sinkA, sink);
        List<Block> hoard = hoard();

        // the window is used up, and there is no block to post in place of those handed up
        pair.left.write(pair.leftBytes(new byte[300 * 8192]));
        Domains.await(
                "a receiver that waits", () -> pair.right.statistics().receivedMessages() >= 125);
        hoard.forEach(Block::release);

        assertThat(sink.awaitBytes(300 * 8192)).hasSize(300 * 8192);
        assertThat(sink.hasEnded()).isFalse();
    }

    @Test
    void shouldRefuseToConnectWithoutBlocks() throws Exception {
        List<Block> hoard = hoard();
        RdmaEndpoint left = sender.endpoints().allocate(Side.CLIENT);
        RdmaEndpoint right = receiver.endpoints().allocate(Side.SERVER);

        assertThatThrownBy(() -> right.bringUp(left.hello()))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.ERDMAMEM));
        right.abort(EndpointPair.bye());
        left.abort(EndpointPair.bye());
        Domains.await("the end", () -> receiver.connections() == 0);

        assertThat(receiver.pool().outstanding()).hasSize(hoard.size());
        hoard.forEach(Block::release);
    }

    /** However many connect, those that are connected can still send. */
    @Test
    void shouldLeaveBlocksForSendersWhenTooManyConnect() throws Exception {
        List<RdmaEndpoint> made = new ArrayList<>();
        TransportException refusal = null;
        while (refusal == null && made.size() < 100) {
            RdmaEndpoint left = sender.endpoints().allocate(Side.CLIENT);
            RdmaEndpoint right = receiver.endpoints().allocate(Side.SERVER);
            made.add(left);
            made.add(right);
            try {
                right.bringUp(left.hello());
            } catch (TransportException e) {
                refusal = e;
            }
        }

        assertThat(refusal.error()).isEqualTo(TransportError.ERDMAMEM);
        assertThat(refusal).hasMessageContaining("raise rdma_memory_pool_increase_size_mb");
        List<Block> sent = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            sent.add(receiver.pool().allocate(BlockType.DEFAULT, BlockUse.SEND));
        }
        sent.forEach(Block::release);
        made.forEach(endpoint -> endpoint.abort(EndpointPair.bye()));
        Domains.await("the end", () -> receiver.connections() + sender.connections() == 0);
    }

    private void writeUntilItWaits(EndpointPair pair) throws Exception {
        long written = 0;
        long limit = 64L << 20;
        while (written < limit && receiverHasMemory()) {
            try {
                pair.left.write(pair.leftBytes(new byte[1 << 20]));
                written += 1 << 20;
            } catch (BlockPoolException e) {
                // the sender's own pool is full: the peer takes no more
                assertThat(pair.left.unwrittenBytes()).isPositive();
            }
        }
    }

    private boolean receiverHasMemory() {
        Optional<Block> block = receiver.pool().tryAllocate(BlockType.DEFAULT, BlockUse.SEND);
        block.ifPresent(Block::release);
        return block.isPresent();
    }

    /** Takes every block there is, the reserve too. */
    private List<Block> hoard() {
        List<Block> blocks = new ArrayList<>();
        while (true) {
            Optional<Block> block =
                    receiver.pool().tryAllocate(BlockType.DEFAULT, BlockUse.RECEIVE);
            if (block.isEmpty()) {
                return blocks;
            }
            blocks.add(block.get());
        }
    }
}
