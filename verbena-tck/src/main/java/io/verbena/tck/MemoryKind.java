// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.Arena;

/** Where the memory of a region comes from. */
public enum MemoryKind {
    /** Memory that the user allocated and registered. */
    USER {
        @Override
        public MemoryRegion create(
                ProtectionDomain domain, Arena arena, long length, AccessFlag... access) {
            return domain.register(arena.allocate(length, PAGE), access);
        }
    },
    /** Memory that the device allocated itself. */
    DEVICE {
        @Override
        public MemoryRegion create(
                ProtectionDomain domain, Arena arena, long length, AccessFlag... access) {
            return domain.allocate(length, access);
        }
    };

    private static final long PAGE = 4096;

    /**
     * {@return a new region of zeros}
     *
     * @param domain the domain it belongs to
     * @param arena the owner of the user's memory
     * @param length how many bytes
     * @param access what is allowed
     */
    public abstract MemoryRegion create(
            ProtectionDomain domain, Arena arena, long length, AccessFlag... access);
}
