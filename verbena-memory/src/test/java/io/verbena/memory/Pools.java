// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes pools for a test, watches every block closely, and fails the test if one has not come back
 * when it ends. Closes what it made.
 */
final class Pools implements AfterEachCallback {
    /** Small regions, every block watched. */
    static final BlockPoolOptions SMALL =
            BlockPoolOptions.DEFAULT.withSizesMb(32, 32).withLeakTracking(LeakTracking.PARANOID);

    private final List<BlockPool> pools = new ArrayList<>();
    private final Deque<AutoCloseable> devices = new ArrayDeque<>();

    /** {@return a pool on the software device} */
    BlockPool registered(BlockPoolOptions options) {
        return watch(BlockPool.of(domain(), options));
    }

    /** {@return a pool without a device} */
    BlockPool unregistered(BlockPoolOptions options) {
        return watch(BlockPool.unregistered(options));
    }

    /** {@return a pool on a domain, with the test's clock} */
    BlockPool withClock(ProtectionDomain domain, BlockPoolOptions options, LongSupplier clockNs) {
        return watch(new BlockPool(new RegionSource.Device(domain), options, clockNs));
    }

    /** {@return a protection domain of the software device} */
    ProtectionDomain domain() {
        DeviceContext device = Devices.open("soft0");
        devices.push(device);
        return device.allocateProtectionDomain();
    }

    private BlockPool watch(BlockPool pool) {
        pools.add(pool);
        return pool;
    }

    private void close() throws Exception {
        pools.forEach(BlockPool::close);
        for (AutoCloseable device : devices) {
            device.close();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        List<OutstandingBlock> leaks =
                pools.stream().flatMap(pool -> pool.outstanding().stream()).toList();
        close();
        if (!leaks.isEmpty() && context.getExecutionException().isEmpty()) {
            throw new AssertionError(
                    "blocks that were not released: " + leaks.size() + "\n" + leaks.getFirst());
        }
    }
}
