// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntFunction;

/**
 * Objects kept for reuse, so that many threads at once allocate nothing. Each object has a place,
 * and a bit says whether the place is free; the thread that clears the bit has the object. There
 * are as many places as bits; objects beyond that are not kept.
 *
 * <p>Any thread may call any method.
 *
 * @param <T> what is kept
 */
public final class Spares<T> {
    /** The place of an object that is not kept. */
    public static final int NO_PLACE = -1;

    private static final VarHandle FREE;

    static {
        try {
            FREE = MethodHandles.lookup().findVarHandle(Spares.class, "free", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final IntFunction<T> maker;
    private volatile Object[] places = {};
    private volatile long free = -1;

    /**
     * An empty table, which takes no memory before its first use.
     *
     * @param maker makes an object for a place, which the object must remember; the place may be
     *     {@link #NO_PLACE}
     */
    public Spares(IntFunction<T> maker) {
        this.maker = maker;
    }

    /** {@return an object that belongs to the caller until it gives back its place} */
    public T take() {
        if (places.length == 0) {
            // two threads may both make the table; objects kept in the losing one are made again
            places = new Object[Long.SIZE];
        }
        while (true) {
            long seen = free;
            if (seen == 0) {
                return maker.apply(NO_PLACE);
            }
            long lowest = Long.lowestOneBit(seen);
            if (FREE.compareAndSet(this, seen, seen & ~lowest)) {
                return at(Long.numberOfTrailingZeros(lowest));
            }
        }
    }

    @SuppressWarnings("unchecked") // the table holds only what the maker made
    private T at(int place) {
        Object[] table = places;
        T kept = (T) table[place];
        if (kept == null) {
            kept = maker.apply(place);
            table[place] = kept;
        }
        return kept;
    }

    /**
     * Keeps an object for its next user.
     *
     * @param place the object's; nothing happens if it has none
     */
    public void giveBack(int place) {
        if (place != NO_PLACE) {
            // a full fence: publishes the object to the thread that takes the place next
            FREE.getAndBitwiseOr(this, 1L << place);
        }
    }
}
