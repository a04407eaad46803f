// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Registered memory of the software device: either the user's own, or a shared segment that peers
 * map and access directly.
 */
final class SoftMemoryRegion implements MemoryRegion {
    private static final int PRIVATE = -1;
    private static final int REMOTE =
            AccessFlag.bits(
                    AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    private final SoftProtectionDomain domain;
    private final MemorySegment memory;
    private final long address;
    private final long length;
    private final int access;
    private final int segment;
    private final boolean isOwner;
    private final int lkey;
    private final int rkey;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private SoftMemoryRegion(
            SoftProtectionDomain domain, MemorySegment memory, int access, int segment) {
        this.domain = domain;
        this.memory = memory;
        this.address = memory.address();
        this.length = memory.byteSize();
        this.access = access;
        this.segment = segment;
        this.isOwner = segment != PRIVATE;
        this.lkey = domain.device().localKeys().add(this);
        this.rkey = (access & REMOTE) == 0 ? 0 : domain.device().remoteKeys().add(this);
    }

    static SoftMemoryRegion ofUser(SoftProtectionDomain domain, MemorySegment memory, int access) {
        return new SoftMemoryRegion(domain, memory, access, PRIVATE);
    }

    static SoftMemoryRegion ofDevice(SoftProtectionDomain domain, long length, int access) {
        Segments segments = domain.device().segments();
        int id = segments.create(length);
        return new SoftMemoryRegion(domain, segments.memory(id), access, id);
    }

    @Override
    public MemorySegment memory() {
        checkOpen();
        return memory;
    }

    @Override
    public long address() {
        checkOpen();
        return address;
    }

    @Override
    public long length() {
        checkOpen();
        return length;
    }

    @Override
    public int lkey() {
        checkOpen();
        return lkey;
    }

    @Override
    public int rkey() {
        checkOpen();
        return rkey;
    }

    @Override
    public Set<AccessFlag> access() {
        checkOpen();
        return AccessFlag.of(access);
    }

    SoftProtectionDomain domain() {
        return domain;
    }

    /** {@return whether peers can map it} */
    boolean isShared() {
        return segment != PRIVATE;
    }

    int segment() {
        return segment;
    }

    /** {@return the offset in its segment of the byte at an address of this region} */
    long segmentOffset(long at) {
        return at - address;
    }

    boolean resolveLocal(long from, int count, boolean write, MemorySlice slice) {
        return (!write || (access & AccessFlag.LOCAL_WRITE.bit()) != 0)
                && resolve(from, count, slice);
    }

    boolean resolveRemote(long from, long count, int right, MemorySlice slice) {
        return (access & right) != 0 && resolve(from, count, slice);
    }

    /** Checks bounds without overflow: the subtraction may wrap, and then one comparison fails. */
    private boolean resolve(long from, long count, MemorySlice slice) {
        long offset = from - address;
        if (offset < 0 || count < 0 || offset > length || count > length - offset) {
            return false;
        }
        slice.set(memory, offset);
        return true;
    }

    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        SoftDevice device = domain.device();
        device.localKeys().remove(lkey);
        if (rkey != 0) {
            device.remoteKeys().remove(rkey);
        }
        device.quiesce();
        domain.forget(this);
        if (isOwner) {
            device.peers().freed(segment);
            device.segments().free(segment);
        }
    }

    private void checkOpen() {
        if (isClosed.get()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    @Override
    public String toString() {
        return "memory region [0x" + Long.toHexString(address) + ", " + length + " bytes]";
    }
}
