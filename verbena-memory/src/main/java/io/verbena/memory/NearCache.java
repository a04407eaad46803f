// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

/**
 * Free blocks near the threads that use them, in stripes: a thread's number selects its stripe.
 * Virtual threads are many and short-lived, and a cache per thread would be lost with each of them;
 * there are as many stripes as the processors can use at once.
 */
final class NearCache {
    private static final int STRIPES_PER_PROCESSOR = 2;
    private static final int MAX_STRIPES = 64;
    private static final int SPINS = 64;

    private final Stripe[] stripes;
    private final int mask;

    NearCache(int limit) {
        int wanted =
                Math.min(
                        MAX_STRIPES,
                        STRIPES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
        int count = limit == 0 ? 0 : Math.max(2, Integer.highestOneBit(wanted * 2 - 1));
        stripes = new Stripe[count];
        mask = count - 1;
        for (int i = 0; i < count; i++) {
            stripes[i] = new Stripe(limit);
        }
    }

    /** {@return a block, or null} */
    Block take() {
        Stripe stripe = tryEnter();
        if (stripe == null) {
            return null;
        }
        Block block = stripe.popInside();
        stripe.leave();
        return block;
    }

    /** {@return a block of this bucket, after more of them were moved into the cache, or null} */
    Block refill(Bucket bucket) {
        Stripe stripe = tryEnter();
        if (stripe == null) {
            return bucket.take();
        }
        try {
            if (stripe.sizeInside() == 0) {
                stripe.refillInside(bucket);
            }
            return stripe.popInside();
        } finally {
            stripe.leave();
        }
    }

    void put(Block block) {
        Stripe stripe = tryEnter();
        if (stripe == null) {
            block.part().bucket().put(block);
            return;
        }
        boolean isIn = stripe.pushInside(block);
        if (!isIn) {
            putIntoFull(stripe, block);
        }
        stripe.leave();
    }

    private static void putIntoFull(Stripe stripe, Block block) {
        stripe.flushInside(stripe.sizeInside() / 2);
        block.part().bucket().put(block);
    }

    /** Returns every block to its bucket. */
    void drain() {
        for (Stripe stripe : stripes) {
            enter(stripe);
            stripe.drainInside();
            stripe.leave();
        }
    }

    /** {@return how many blocks are here} */
    int size() {
        int sum = 0;
        for (Stripe stripe : stripes) {
            enter(stripe);
            sum += stripe.sizeInside();
            stripe.leave();
        }
        return sum;
    }

    private static void enter(Stripe stripe) {
        for (int i = 0; !stripe.tryEnter(); i++) {
            // the thread inside may need this processor, even this carrier thread, to get out
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** {@return the thread's stripe, or the next one, entered; null if both are busy} */
    private Stripe tryEnter() {
        if (stripes.length == 0) {
            return null;
        }
        int own = (int) Thread.currentThread().threadId();
        Stripe stripe = stripes[own & mask];
        if (stripe.tryEnter()) {
            return stripe;
        }
        stripe = stripes[own + 1 & mask];
        return stripe.tryEnter() ? stripe : null;
    }
}
