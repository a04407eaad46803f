// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;

/** The transport of one process, on a device, with the settings of the system properties. */
final class StreamTransport implements AutoCloseable {
    private static final long CONNECT_TIMEOUT_MS = 10_000;

    private final RdmaDomain domain;
    private final Transport transport;

    StreamTransport(String device) {
        TransportFlags flags =
                TransportFlags.of(System.getProperties())
                        .with(TransportFlag.CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
        TransportFlags chosen =
                device.isEmpty() ? flags : flags.with(TransportFlag.RDMA_DEVICE, device);
        BlockPoolOptions pool =
                BlockPoolOptions.of(System.getProperties()).withLeakTracking(LeakTracking.DISABLED);
        this.domain = RdmaDomain.open(chosen, pool);
        this.transport = Transport.over(domain, chosen);
    }

    Transport transport() {
        return transport;
    }

    String device() {
        return domain.deviceName();
    }

    @Override
    public void close() {
        transport.close();
        domain.close();
    }
}
