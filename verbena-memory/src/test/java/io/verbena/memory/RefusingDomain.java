// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

/** A protection domain whose device gives only a limited amount of memory. */
final class RefusingDomain implements ProtectionDomain {
    private final ProtectionDomain domain;
    private long budget;
    private int refusals;

    RefusingDomain(ProtectionDomain domain, long budget) {
        this.domain = domain;
        this.budget = budget;
    }

    void budget(long bytes) {
        budget = bytes;
    }

    int refusals() {
        return refusals;
    }

    @Override
    public DeviceContext context() {
        return domain.context();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, AccessFlag... access) {
        spend(memory.byteSize());
        return domain.register(memory, access);
    }

    @Override
    public MemoryRegion allocate(long length, AccessFlag... access) {
        spend(length);
        return domain.allocate(length, access);
    }

    private void spend(long bytes) {
        if (bytes > budget) {
            refusals++;
            throw new VerbsException("ibv_reg_mr", Errno.ENOMEM, "length: " + bytes);
        }
        budget -= bytes;
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return domain.createQueuePair(options);
    }

    @Override
    public void close() {
        domain.close();
    }
}
