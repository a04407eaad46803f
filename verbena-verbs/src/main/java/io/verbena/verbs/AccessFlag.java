// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.EnumSet;
import java.util.Set;

/** What a memory region or a queue pair allows; {@code ibv_access_flags}. */
public enum AccessFlag {
    /** The device may write to the region on behalf of its owner: receives, reads, atomics. */
    LOCAL_WRITE(1),
    /** A peer may write; needs {@link #LOCAL_WRITE} on a memory region. */
    REMOTE_WRITE(2),
    /** A peer may read. */
    REMOTE_READ(4),
    /** A peer may use atomics; needs {@link #LOCAL_WRITE} on a memory region. */
    REMOTE_ATOMIC(8);

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    /** {@return the bit libibverbs uses} */
    public int bit() {
        return bit;
    }

    /**
     * {@return the bits of a set of flags}
     *
     * @param flags any number of flags
     */
    public static int bits(AccessFlag... flags) {
        int bits = 0;
        for (AccessFlag flag : flags) {
            bits |= flag.bit;
        }
        return bits;
    }

    /**
     * {@return the flags set in a mask; unknown bits are ignored}
     *
     * @param bits a mask as libibverbs uses it
     */
    public static Set<AccessFlag> of(int bits) {
        EnumSet<AccessFlag> set = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : values()) {
            if ((bits & flag.bit) != 0) {
                set.add(flag);
            }
        }
        return set;
    }
}
