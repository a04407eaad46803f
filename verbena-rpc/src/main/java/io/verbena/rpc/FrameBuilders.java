// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Builders to use again, so that frames of many threads allocate nothing. A bit says that a place
 * is free; who clears it has the place. There are as many as bits, further ones are not kept.
 */
final class FrameBuilders {
    private static final VarHandle FREE;

    static {
        try {
            FREE = MethodHandles.lookup().findVarHandle(FrameBuilders.class, "free", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int NO_PLACE = -1;

    private final BlockPool pool;
    private final AtomicReferenceArray<FrameBuilder> places = new AtomicReferenceArray<>(Long.SIZE);
    private volatile long free = -1;

    FrameBuilders(BlockPool pool) {
        this.pool = pool;
    }

    /** {@return an empty builder that is the caller's until it gives it back} Any thread. */
    FrameBuilder take() {
        while (true) {
            long seen = free;
            if (seen == 0) {
                return create(NO_PLACE);
            }
            long lowest = Long.lowestOneBit(seen);
            if (FREE.compareAndSet(this, seen, seen & ~lowest)) {
                return at(Long.numberOfTrailingZeros(lowest));
            }
        }
    }

    private FrameBuilder at(int place) {
        FrameBuilder builder = places.getPlain(place);
        if (builder == null) {
            builder = create(place);
            places.setPlain(place, builder);
        }
        return builder;
    }

    private FrameBuilder create(int place) {
        return new FrameBuilder(pool.buffer(), pool.buffer(), place);
    }

    /** Keeps a builder for the next frame. What is left in it is dropped. */
    void giveBack(FrameBuilder builder) {
        builder.clear();
        if (builder.place() != NO_PLACE) {
            // a full fence: publishes the builder to who takes the place next
            FREE.getAndBitwiseOr(this, 1L << builder.place());
        }
    }
}
