// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.spi.Children;
import io.verbena.verbs.spi.RegionArguments;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A protection domain of the software device: the objects it made may work together. */
final class SoftProtectionDomain implements ProtectionDomain {
    private final SoftDeviceContext context;
    private final Children children = new Children();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    SoftProtectionDomain(SoftDeviceContext context) {
        this.context = context;
    }

    @Override
    public SoftDeviceContext context() {
        return context;
    }

    SoftDevice device() {
        return context.softDevice();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, AccessFlag... access) {
        checkOpen();
        int bits = RegionArguments.access(access);
        RegionArguments.checkMemory(memory, bits);
        checkLength(memory.byteSize());
        return children.add(SoftMemoryRegion.ofUser(this, memory, bits));
    }

    @Override
    public MemoryRegion allocate(long length, AccessFlag... access) {
        checkOpen();
        int bits = RegionArguments.access(access);
        checkLength(length);
        return children.add(SoftMemoryRegion.ofDevice(this, length, bits));
    }

    private static void checkLength(long length) {
        if (length < 1) {
            throw new IllegalArgumentException("length: " + length + " (expected: >= 1)");
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        checkOpen();
        QueuePairSettings.check(options);
        context.checkOwn("sendQueue", options.sendQueue());
        context.checkOwn("receiveQueue", options.receiveQueue());
        SoftQueuePair pair = device().createQueuePair(this, options);
        try {
            return children.add(pair);
        } catch (OutOfMemoryError e) { // nobody else knows it, and its completion queues do
            pair.close();
            throw e;
        }
    }

    void forget(AutoCloseable child) {
        children.remove(child);
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            children.closeAll();
            context.forget(this);
        }
    }

    private void checkOpen() {
        if (isClosed.get()) {
            throw new IllegalStateException("protection domain is closed");
        }
    }
}
