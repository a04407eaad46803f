// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * The memory a queue pair may touch: regions of its own protection domain, by key. A result is
 * valid until the end of the turn in which it was looked up.
 */
final class DomainMemory {
    private final SoftProtectionDomain domain;
    private final KeyTable<SoftMemoryRegion> localKeys;
    private final KeyTable<SoftMemoryRegion> remoteKeys;

    DomainMemory(SoftProtectionDomain domain) {
        this.domain = domain;
        this.localKeys = domain.device().localKeys();
        this.remoteKeys = domain.device().remoteKeys();
    }

    /** {@return the region with a local key, or null} */
    SoftMemoryRegion region(int lkey) {
        SoftMemoryRegion region = localKeys.find(lkey);
        return region != null && region.domain() == domain ? region : null;
    }

    /** Finds the memory of an element; an empty element needs no key. */
    boolean resolveLocal(int lkey, long address, int length, boolean write, MemorySlice slice) {
        if (length == 0) {
            slice.set(MemorySegment.NULL, 0);
            return true;
        }
        SoftMemoryRegion region = region(lkey);
        return region != null && region.resolveLocal(address, length, write, slice);
    }

    /** Finds memory a peer asks for, if it has the permission. */
    boolean resolveRemote(int rkey, long address, long length, int right, MemorySlice slice) {
        SoftMemoryRegion region = remoteKeys.find(rkey);
        return region != null
                && region.domain() == domain
                && region.resolveRemote(address, length, right, slice);
    }
}
