// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.util.Arrays;

/** What can be wrong with a remote address and its key, for an access of eight bytes. */
enum RemoteFault {
    WRONG_KEY,
    STALE_KEY,
    LOCAL_KEY,
    LOCAL_KEY_OF_LOCAL_REGION,
    PAST_END,
    BEFORE_START,
    FAR_OUTSIDE,
    WRAPS_AROUND,
    NO_PERMISSION,
    NO_REMOTE_ACCESS_AT_ALL,
    CLOSED_REGION,
    OTHER_DOMAIN;

    /** Not a multiple of eight, so that an aligned word can stick out at the end. */
    static final long SIZE = 4100;

    /**
     * A forbidden place.
     *
     * @param address where
     * @param rkey with which key
     * @param region the region that must stay as it was
     */
    record Place(long address, int rkey, MemoryRegion region) {}

    /**
     * {@return a place the peer of an endpoint must not reach}
     *
     * @param owner the endpoint
     * @param kind where its memory comes from
     * @param needed what the operation would need
     */
    Place place(Endpoint owner, MemoryKind kind, AccessFlag needed) {
        boolean atomic = needed == AccessFlag.REMOTE_ATOMIC;
        MemoryRegion region = region(owner, kind, needed);
        long address = region.address();
        int rkey = region.rkey();
        return switch (this) {
            case WRONG_KEY -> new Place(address, ~rkey, region);
            case STALE_KEY -> new Place(address, closedKey(owner, kind), region);
            case LOCAL_KEY, LOCAL_KEY_OF_LOCAL_REGION -> new Place(address, region.lkey(), region);
            case PAST_END -> new Place(address + SIZE - (atomic ? 4 : 7), rkey, region);
            case BEFORE_START -> new Place(address - (atomic ? 8 : 1), rkey, region);
            case FAR_OUTSIDE -> new Place(address + (1L << 40), rkey, region);
            case WRAPS_AROUND -> new Place(atomic ? -8 : -4, rkey, region);
            case CLOSED_REGION -> {
                region.close();
                yield new Place(address, rkey, owner.region());
            }
            case NO_PERMISSION, NO_REMOTE_ACCESS_AT_ALL, OTHER_DOMAIN ->
                    new Place(address, rkey, region);
        };
    }

    private MemoryRegion region(Endpoint owner, MemoryKind kind, AccessFlag needed) {
        return switch (this) {
            case NO_PERMISSION -> owner.createRegion(kind, SIZE, allBut(needed));
            case LOCAL_KEY_OF_LOCAL_REGION, NO_REMOTE_ACCESS_AT_ALL ->
                    owner.createRegion(kind, SIZE, AccessFlag.LOCAL_WRITE);
            case OTHER_DOMAIN -> {
                ProtectionDomain other = owner.closing(owner.context().allocateProtectionDomain());
                yield kind.create(other, owner.arena(), SIZE, AccessFlag.values());
            }
            default -> owner.createRegion(kind, SIZE, AccessFlag.values());
        };
    }

    private static int closedKey(Endpoint owner, MemoryKind kind) {
        try (MemoryRegion gone = owner.createRegion(kind, SIZE, AccessFlag.values())) {
            return gone.rkey();
        }
    }

    private static AccessFlag[] allBut(AccessFlag needed) {
        return Arrays.stream(AccessFlag.values())
                .filter(flag -> flag != needed)
                .toArray(AccessFlag[]::new);
    }
}
