// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/** Memory registered with a system device; {@code ibv_mr}. */
final class NativeMemoryRegion implements MemoryRegion {
    private static final long PAGE = 4096;
    private static final int REMOTE =
            AccessFlag.bits(
                    AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private final NativeProtectionDomain domain;
    private final MemorySegment memory;
    private final Optional<Arena> own;
    private final int access;
    private final long address;
    private final int lkey;
    private final int rkey;
    private final Gate gate = new Gate("memory region");

    private NativeMemoryRegion(
            NativeProtectionDomain domain,
            MemorySegment memory,
            Optional<Arena> own,
            int access,
            long address) {
        this.domain = domain;
        this.memory = memory;
        this.own = own;
        this.access = access;
        this.address = address;
        MemorySegment region = IbvLayout.MR.at(address);
        lkey = IbvLayout.MR_LKEY.getInt(region);
        // Some drivers return the local key here even if no peer may use it.
        rkey = (access & REMOTE) == 0 ? 0 : IbvLayout.MR_RKEY.getInt(region);
    }

    /** Called inside the domain's gate. */
    static NativeMemoryRegion register(
            NativeProtectionDomain domain, MemorySegment memory, int access) {
        long address = register(domain, memory.address(), memory.byteSize(), access);
        return new NativeMemoryRegion(domain, memory, Optional.empty(), access, address);
    }

    /** Called inside the domain's gate. */
    static NativeMemoryRegion allocate(NativeProtectionDomain domain, long length, int access) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = allocate(arena, length);
            long address = register(domain, memory.address(), length, access);
            return new NativeMemoryRegion(domain, memory, Optional.of(arena), access, address);
        } catch (Throwable e) { // even for want of memory
            arena.close();
            throw e;
        }
    }

    private static MemorySegment allocate(Arena arena, long length) {
        try {
            return arena.allocate(length, PAGE);
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            throw new VerbsException(
                    "ibv_reg_mr",
                    Errno.ENOMEM,
                    "length: "
                            + length
                            + " (expected: less than is free; the JVM's own limit is"
                            + " -XX:MaxDirectMemorySize)",
                    e);
        }
    }

    private static long register(
            NativeProtectionDomain domain, long start, long length, int access) {
        try (NativeCall call = NativeCall.begin()) {
            long region = Ibverbs.ibv_reg_mr(call, domain.address(), start, length, access);
            if (region == 0) {
                String arguments =
                        "address=0x"
                                + Long.toHexString(start)
                                + ", length="
                                + length
                                + ", access="
                                + AccessFlag.of(access);
                int errno = call.errno();
                throw new VerbsException("ibv_reg_mr", errno, arguments + why(call, errno));
            }
            return region;
        }
    }

    private static String why(NativeCall call, int errno) {
        return switch (errno) {
            case Errno.ENOMEM -> "; " + MemoryLock.advice(call);
            case Errno.EFAULT, Errno.EINVAL ->
                    "; the memory must be mapped, and writable if LOCAL_WRITE is asked for";
            default -> "";
        };
    }

    @Override
    public MemorySegment memory() {
        gate.checkOpen();
        return memory;
    }

    @Override
    public long address() {
        gate.checkOpen();
        return memory.address();
    }

    @Override
    public long length() {
        gate.checkOpen();
        return memory.byteSize();
    }

    @Override
    public int lkey() {
        gate.checkOpen();
        return lkey;
    }

    @Override
    public int rkey() {
        gate.checkOpen();
        return rkey;
    }

    @Override
    public Set<AccessFlag> access() {
        gate.checkOpen();
        return AccessFlag.of(access);
    }

    @Override
    public void close() {
        gate.close(this::free);
    }

    private void free() {
        try (NativeCall call = NativeCall.begin()) {
            int result = Ibverbs.ibv_dereg_mr(call, address);
            NativeCall.check("ibv_dereg_mr", result, "lkey=0x" + Integer.toHexString(lkey));
        } finally {
            // Last: a parent that closes in the meantime still finds it and waits.
            domain.forget(this);
        }
        // Only now: while the device knows the memory, nobody else may get it.
        own.ifPresent(Arena::close);
    }
}
