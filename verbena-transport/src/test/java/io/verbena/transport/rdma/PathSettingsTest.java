// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePairAttributes;
import org.junit.jupiter.api.Test;

/** That the flags for packets reach the device. */
class PathSettingsTest {
    private static final int DSCP_26 = 104;

    @Test
    void shouldSetTheMtuAndTheTrafficClassOfTheFlags() {
        TransportFlags flags =
                Domains.FLAGS
                        .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0)
                        .with(TransportFlag.RDMA_PATH_MTU, 256)
                        .with(TransportFlag.RDMA_TRAFFIC_CLASS, DSCP_26);
        WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
        try (RdmaDevice left = device.open(flags);
                RdmaDevice right = Domains.open(DeviceUnderTest.RIGHT, flags);
                EndpointPair _ = EndpointPair.connect(left, right)) {
            QueuePairAttributes set = device.made.getLast().query();

            assertThat(set.pathMtu()).isEqualTo(PathMtu.MTU_256);
            assertThat(set.trafficClass()).isEqualTo(DSCP_26);
        }
    }
}
