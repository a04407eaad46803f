// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.Block;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.Devices;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the connections of a domain share: memory, spare queue pairs, completion vectors. */
class RdmaDeviceTest {
    @Test
    void shouldGiveBackRegionsThatAreIdle() throws Exception {
        BlockPoolOptions pool =
                BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withRegionIdle(Duration.ofMillis(100));
        try (RdmaDevice domain =
                RdmaDevice.open(Devices.open(DeviceUnderTest.LEFT), Domains.FLAGS, pool)) {
            List<Block> blocks = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                blocks.add(domain.pool().allocate(BlockType.HUGE, BlockUse.SEND));
            }
            int most = Domains.statistics(domain).regions().size();

            blocks.forEach(domain.pool()::free);

            assertThat(most).isGreaterThan(1);
            Domains.await("one region", () -> Domains.statistics(domain).regions().size() == 1);
        }
    }

    @Test
    void shouldMakeQueuePairsBeforeTheyAreNeededAndKeepNoMore() throws Exception {
        WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
        try (RdmaDevice domain =
                device.open(Domains.FLAGS.with(TransportFlag.RDMA_PREPARED_QP_CNT, 4))) {
            assertThat(device.queuePairs).hasValue(4);
            List<RdmaEndpoint> endpoints = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                endpoints.add(domain.endpoints().allocate(Side.CLIENT));
                endpoints.add(domain.endpoints().allocate(Side.SERVER));
            }
            assertThat(device.queuePairs).hasValue(4);
            endpoints.add(domain.endpoints().allocate(Side.CLIENT));
            assertThat(device.queuePairs).hasValue(5);

            endpoints.forEach(endpoint -> endpoint.abort(EndpointPair.bye()));

            Domains.await("four are kept", () -> device.queuePairs.get() == 4);
        }
        assertThat(device.queuePairs).hasValue(0);
    }

    @Test
    void shouldMakeQueuePairsOfOtherSizesWhenTheyAreNeeded() {
        WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
        TransportFlags deep =
                Domains.FLAGS
                        .with(TransportFlag.RDMA_PREPARED_QP_CNT, 4)
                        .with(TransportFlag.RDMA_SQ_SIZE, 256);
        try (RdmaDevice _ = device.open(deep)) {
            assertThat(device.queuePairs).hasValue(0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 128})
    void shouldHoldAsManyBlocksForAnIdleConnectionAsItsReceiveQueueIsDeep(int depth) {
        TransportFlags flags = Domains.FLAGS.with(TransportFlag.RDMA_RQ_SIZE, depth);
        try (RdmaDevice left = Domains.open(DeviceUnderTest.LEFT, flags);
                RdmaDevice right = Domains.open(DeviceUnderTest.RIGHT, flags)) {
            RecordingSink first = new RecordingSink();
            RecordingSink second = new RecordingSink();
            try (EndpointPair _ = EndpointPair.open(left, right, first, second);
                    EndpointPair _ = EndpointPair.open(left, right, first, second)) {
                assertThat(Domains.blocksInUse(left)).isEqualTo(2 * depth);
                assertThat(Domains.blocksInUse(right)).isEqualTo(2 * depth);
            }
        }
    }

    @Test
    void shouldSayWhichIdentifiersThereAre() {
        TransportFlags flags =
                Domains.FLAGS
                        .with(TransportFlag.RDMA_DEVICE, DeviceUnderTest.LEFT)
                        .with(TransportFlag.RDMA_GID_INDEX, 200);

        assertThatThrownBy(() -> RdmaDevice.open(flags, Domains.SMALL_POOL))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("rdma_gid_index: 200")
                .hasMessageContaining("index=0");
    }

    @Test
    void shouldRefuseAnMtuThatIsNone() {
        TransportFlags flags =
                Domains.FLAGS
                        .with(TransportFlag.RDMA_DEVICE, DeviceUnderTest.LEFT)
                        .with(TransportFlag.RDMA_PATH_MTU, 1500);

        assertThatThrownBy(() -> RdmaDevice.open(flags, Domains.SMALL_POOL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rdma_path_mtu: 1500");
    }

    @Test
    void shouldUseTheCompletionVectorsInTurn() {
        WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
        device.completionVectors = 3;
        TransportFlags four = Domains.FLAGS.with(TransportFlag.RDMA_POLLER_NUM, 4);
        try (RdmaDevice domain = device.open(four)) {
            for (int i = 0; i < 4; i++) {
                domain.endpoints().allocate(Side.CLIENT);
            }
        }
        assertThat(device.vectors).containsExactly(0, 0, 1, 1, 2, 2, 0, 0);
    }
}
