// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

/** The argument checks shared by all protection domains. */
public final class RegionArguments {
    private RegionArguments() {}

    /**
     * {@return the bits of the flags}
     *
     * @param access how a memory region may be used
     * @throws VerbsException with EINVAL if the peer may change memory that this side may not
     */
    public static int access(AccessFlag... access) {
        int bits = AccessFlag.bits(access);
        int remoteChange = AccessFlag.bits(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        if ((bits & remoteChange) != 0 && (bits & AccessFlag.LOCAL_WRITE.bit()) == 0) {
            throw new VerbsException(
                    "ibv_reg_mr",
                    Errno.EINVAL,
                    "access: " + AccessFlag.of(bits) + " (expected: LOCAL_WRITE with it)");
        }
        return bits;
    }

    /**
     * Throws if memory of the program cannot become a region.
     *
     * @param memory the memory
     * @param bits of the flags
     */
    public static void checkMemory(MemorySegment memory, int bits) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException(
                    "memory: on the heap (expected: native, such as Arena.allocate gives)");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalArgumentException("memory: its arena is closed (expected: open)");
        }
        if (memory.isReadOnly() && (bits & AccessFlag.LOCAL_WRITE.bit()) != 0) {
            throw new IllegalArgumentException("memory: read-only (expected: writable)");
        }
    }
}
