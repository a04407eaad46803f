// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportException;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Takes everything an endpoint hands up, and lets a test wait for it. */
public class RecordingSink implements RdmaEndpoint.Sink {
    private static final long PATIENCE_S = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<Void> open = new CompletableFuture<>();
    private final CompletableFuture<TransportException> end = new CompletableFuture<>();

    @Override
    public void onOpen() {
        open.complete(null);
    }

    @Override
    public void onData(IOBuf received) {
        byte[] all = received.toByteArray();
        received.clear();
        lock.lock();
        try {
            bytes.writeBytes(all);
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onClose(TransportException reason) {
        end.complete(reason);
    }

    public void awaitOpen() throws Exception {
        open.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    /** {@return everything that has arrived, once there are this many bytes} */
    public byte[] awaitBytes(int count) throws InterruptedException, TimeoutException {
        long left = TimeUnit.SECONDS.toNanos(PATIENCE_S);
        lock.lock();
        try {
            while (bytes.size() < count) {
                left = arrived.awaitNanos(left);
                if (left <= 0) {
                    throw new TimeoutException(
                            "bytes: " + bytes.size() + " (expected: " + count + ")");
                }
            }
            return bytes.toByteArray();
        } finally {
            lock.unlock();
        }
    }

    public TransportException awaitEnd() throws Exception {
        return end.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    public boolean hasEnded() {
        return end.isDone();
    }
}
