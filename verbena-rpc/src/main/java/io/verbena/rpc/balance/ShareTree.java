// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers of which one is chosen in proportion: a complete binary tree whose leaves are the numbers
 * and whose nodes are the sums below them. Any thread: a change adds its difference on the path to
 * the root, so that nothing is lost; a choice that overlaps with a change may be off by a little.
 */
final class ShareTree {
    /** The part of a number by which it must change at least. */
    private static final int LEAST_CHANGE = 32;

    private final int leaves;

    /** Node 1 is the root; the children of i are 2i and 2i + 1. */
    private final AtomicLongArray sums;

    private final AtomicLong[] shares;

    ShareTree(int size) {
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) << (size > 1 ? 1 : 0));
        sums = new AtomicLongArray(2 * leaves);
        shares = new AtomicLong[size];
        for (int i = 0; i < size; i++) {
            shares[i] = new AtomicLong();
        }
    }

    /**
     * Sets a number, 0 or more; a small change waits until it has grown, because each is costly.
     */
    void set(int place, long value) {
        long before = shares[place].get();
        if (Math.abs(value - before) <= before / LEAST_CHANGE) {
            return;
        }
        long difference = value - shares[place].getAndSet(value);
        for (int node = leaves + place; node >= 1; node >>= 1) {
            sums.addAndGet(node, difference);
        }
    }

    /** {@return the sum of all numbers, at least 1} */
    long total() {
        return Math.max(1, sums.get(1));
    }

    /** {@return the place whose part of the sum a point falls into} */
    int at(long point) {
        long rest = point;
        int node = 1;
        while (node < leaves) {
            node <<= 1;
            long left = sums.get(node);
            if (rest >= left) {
                rest -= left;
                node++;
            }
        }
        // while a number changes, the path may lead to an empty leaf at the end
        return Math.min(node - leaves, shares.length - 1);
    }
}
