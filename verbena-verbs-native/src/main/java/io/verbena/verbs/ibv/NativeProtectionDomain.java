// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.spi.Children;
import io.verbena.verbs.spi.RegionArguments;
import java.lang.foreign.MemorySegment;

/** A protection domain of a system device; {@code ibv_pd}. */
final class NativeProtectionDomain implements ProtectionDomain {
    private final NativeDeviceContext context;
    private final long address;
    private final Gate gate = new Gate("protection domain");
    private final Children children = new Children();

    private NativeProtectionDomain(NativeDeviceContext context, long address) {
        this.context = context;
        this.address = address;
    }

    /** Called inside the context's gate. */
    static NativeProtectionDomain allocate(NativeDeviceContext context) {
        try (NativeCall call = NativeCall.begin()) {
            long address = Ibverbs.ibv_alloc_pd(call, context.address());
            if (address == 0) {
                throw call.failure("ibv_alloc_pd", "on " + context.device().name());
            }
            return new NativeProtectionDomain(context, address);
        }
    }

    @Override
    public NativeDeviceContext context() {
        return context;
    }

    /** {@return the address of the {@code ibv_pd}; use it inside the gate} */
    long address() {
        return address;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, AccessFlag... access) {
        gate.enter();
        try {
            int bits = RegionArguments.access(access);
            RegionArguments.checkMemory(memory, bits);
            context.limits().checkLength(memory.byteSize());
            return children.add(NativeMemoryRegion.register(this, memory, bits));
        } finally {
            gate.leave();
        }
    }

    @Override
    public MemoryRegion allocate(long length, AccessFlag... access) {
        gate.enter();
        try {
            int bits = RegionArguments.access(access);
            context.limits().checkLength(length);
            return children.add(NativeMemoryRegion.allocate(this, length, bits));
        } finally {
            gate.leave();
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        gate.enter();
        try {
            context.limits().check(options);
            NativeCompletionQueue sends = context.own("sendQueue", options.sendQueue());
            NativeCompletionQueue receives = context.own("receiveQueue", options.receiveQueue());
            return children.add(NativeQueuePair.create(this, options, sends, receives));
        } finally {
            gate.leave();
        }
    }

    void forget(AutoCloseable child) {
        children.remove(child);
    }

    @Override
    public void close() {
        gate.close(this::free);
    }

    private void free() {
        try (NativeCall call = NativeCall.begin()) {
            children.closeAll();
            int result = Ibverbs.ibv_dealloc_pd(call, address);
            NativeCall.check("ibv_dealloc_pd", result, "on " + context.device().name());
        } finally {
            // Last: a parent that closes in the meantime still finds it and waits.
            context.forget(this);
        }
    }
}
