// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.zookeeper;

import io.verbena.rpc.spi.NamingService;
import java.util.concurrent.atomic.AtomicBoolean;

/** A watch that ends on a thread of its own, since Curator may block, and only once. */
final class ClosedOnce implements NamingService.Watch {
    private final Runnable end;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    ClosedOnce(Runnable end) {
        this.end = end;
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("verbena-naming-zk-close").start(end);
        }
    }
}
