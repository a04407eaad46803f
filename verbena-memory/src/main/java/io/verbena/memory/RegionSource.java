// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Where a pool gets regions from. */
sealed interface RegionSource {
    /** {@return a new region} */
    RegionMemory allocate(long bytes);

    /** {@return the user's memory, registered} */
    MemoryRegion register(MemorySegment memory);

    /** The device of a protection domain. */
    record Device(ProtectionDomain domain, List<AccessFlag> access) implements RegionSource {
        Device(ProtectionDomain domain) {
            this(domain, List.of(AccessFlag.LOCAL_WRITE));
        }

        @Override
        public RegionMemory allocate(long bytes) {
            return new RegisteredMemory(domain.allocate(bytes, flags()));
        }

        @Override
        public MemoryRegion register(MemorySegment memory) {
            return memory.isReadOnly() ? domain.register(memory) : domain.register(memory, flags());
        }

        private AccessFlag[] flags() {
            return access.toArray(AccessFlag[]::new);
        }
    }

    /** The process itself, without a device: nothing is registered. */
    record Plain() implements RegionSource {
        @Override
        public RegionMemory allocate(long bytes) {
            return new PlainMemory(bytes);
        }

        @Override
        public MemoryRegion register(MemorySegment memory) {
            throw new BlockPoolException(
                    Errno.EINVAL,
                    "the pool has no device to register memory with (expected: a pool made with"
                            + " BlockPool.of)");
        }
    }
}
