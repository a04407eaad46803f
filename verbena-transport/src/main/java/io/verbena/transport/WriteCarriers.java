// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.BlockPool;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Carriers to use again, so that writes of several threads allocate nothing. A bit says that a
 * place is free; who clears it has the place. There are as many as bits, further ones are not kept.
 */
final class WriteCarriers {
    private static final VarHandle FREE;

    static {
        try {
            FREE = MethodHandles.lookup().findVarHandle(WriteCarriers.class, "free", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final BlockPool pool;
    private volatile WriteCarrier[] places = {};
    private volatile long free = -1;

    WriteCarriers(BlockPool pool) {
        this.pool = pool;
    }

    /** {@return an empty carrier} Any thread. */
    WriteCarrier take() {
        if (places.length == 0) {
            // most connections never need one; two threads may both make the table, one is used
            places = new WriteCarrier[Long.SIZE];
        }
        while (true) {
            long seen = free;
            if (seen == 0) {
                return new WriteCarrier(pool.buffer(), WriteCarrier.NO_PLACE);
            }
            long lowest = Long.lowestOneBit(seen);
            if (FREE.compareAndSet(this, seen, seen & ~lowest)) {
                return at(Long.numberOfTrailingZeros(lowest));
            }
        }
    }

    private WriteCarrier at(int place) {
        WriteCarrier[] table = places;
        WriteCarrier carrier = table[place];
        if (carrier == null) {
            carrier = new WriteCarrier(pool.buffer(), place);
            table[place] = carrier;
        }
        carrier.next(null);
        return carrier;
    }

    /** Keeps an empty carrier for the next one. */
    void giveBack(WriteCarrier carrier) {
        if (carrier.place() != WriteCarrier.NO_PLACE) {
            // a full fence: publishes the carrier to who takes the place next
            FREE.getAndBitwiseOr(this, 1L << carrier.place());
        }
    }
}
