// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import java.util.concurrent.CountDownLatch;

/** Takes nothing, and blocks its thread, until it is released. */
final class StuckHandler extends RecordingHandler implements AutoCloseable {
    private final CountDownLatch isFree = new CountDownLatch(1);

    @Override
    public void onData(Connection connection, IOBuf received) {
        try {
            isFree.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        super.onData(connection, received);
    }

    /** Releases it. */
    void letGo() {
        isFree.countDown();
    }

    @Override
    public void close() {
        letGo();
    }
}
