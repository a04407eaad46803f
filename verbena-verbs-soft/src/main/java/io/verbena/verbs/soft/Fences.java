// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.invoke.VarHandle;

/**
 * The two halves of "store mine, then look at yours": if both sides do it, at least one sees the
 * other. The frequent side publishes work, calls {@link #betweenStoreAndLook} and checks whether
 * anybody must be notified; the rare side announces that it must be notified, calls {@link
 * #afterAnnounce} and looks for work.
 *
 * <p>Both are full fences. On the frequent side this costs little: the turn ends with a
 * compare-and-set, which waits for the same stores. Leaving the fence to the rare side, with {@code
 * membarrier}, was tried and rejected: Java has no compiler-only fence that keeps a store before a
 * later load, and the stress test of this class showed both sides missing each other.
 */
final class Fences {
    private Fences() {}

    /** Frequent side: between publishing work and looking at the other's announcement. */
    static void betweenStoreAndLook() {
        VarHandle.fullFence();
    }

    /** Rare side: between the announcement and looking for work. */
    static void afterAnnounce() {
        VarHandle.fullFence();
    }
}
