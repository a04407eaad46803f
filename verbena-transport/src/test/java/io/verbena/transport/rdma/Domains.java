// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockPoolStatistics;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Eventually;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.Devices;
import java.util.function.BooleanSupplier;

/** Domains of the software device for tests, and waiting for what they do in the background. */
public final class Domains {
    public static final BlockPoolOptions SMALL_POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withLeakTracking(LeakTracking.SIMPLE);

    public static final TransportFlags FLAGS =
            TransportFlags.DEFAULT.with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);

    private Domains() {}

    public static RdmaDevice open(String device, TransportFlags flags) {
        return RdmaDevice.open(Devices.open(device), flags, SMALL_POOL);
    }

    public static RdmaDevice open(String device) {
        return open(device, FLAGS);
    }

    /** Waits for something that happens on another thread and cannot be waited for otherwise. */
    public static void await(String what, BooleanSupplier condition) {
        Eventually.become(condition, () -> "still waiting for: " + what);
    }

    /** Waits until every block is back; a dispatcher keeps one to copy into until it is idle. */
    public static void awaitBlocks(RdmaDevice domain) {
        Eventually.become(() -> blocksInUse(domain) == 0, () -> domain.pool().outstanding());
    }

    /** {@return how many blocks are in use} */
    public static int blocksInUse(RdmaDevice domain) {
        return domain.pool().outstanding().size();
    }

    public static BlockPoolStatistics statistics(RdmaDevice domain) {
        return domain.pool().statistics();
    }
}
