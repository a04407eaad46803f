// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

/**
 * How closely a pool watches the holders of its blocks. Each level costs more than the one before.
 */
public enum LeakTracking {
    /** Counts only. */
    DISABLED(0, false),
    /** One allocation in 1024 remembers where it was made. */
    SIMPLE(1024, false),
    /** One allocation in 1024 remembers where it was made and where it was last used. */
    ADVANCED(1024, true),
    /** Every allocation remembers where it was made and where it was last used: for tests. */
    PARANOID(1, true);

    private final int oneIn;
    private final boolean recordsUse;

    LeakTracking(int oneIn, boolean recordsUse) {
        this.oneIn = oneIn;
        this.recordsUse = recordsUse;
    }

    /** {@return N if one allocation in N is watched; 0 for none} */
    int oneIn() {
        return oneIn;
    }

    /** {@return whether retain, release and touch are remembered too} */
    boolean recordsUse() {
        return recordsUse;
    }
}
