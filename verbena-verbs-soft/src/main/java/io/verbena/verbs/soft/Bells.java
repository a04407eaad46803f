// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Rings the bells in a device's control segment: one bit per queue pair with something to look at,
 * above it one bit per group of 64, and at the top the doorbell of the background thread. The cost
 * of looking depends on how many queue pairs rang, not on how many are connected.
 *
 * <p>Any process may ring; only the owner clears. A ringer that dies between two stores leaves a
 * bit set without its summary; the next ringer of any queue pair in that group repairs it, which is
 * why every ring checks the summary.
 */
final class Bells {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment control;
    private final Doorbell doorbell;

    Bells(MemorySegment control) {
        this.control = control;
        this.doorbell = new Doorbell(control, ControlLayout.DOORBELL);
    }

    /** Marks a queue pair as ready, and wakes the background thread if nobody else will look. */
    void ring(long area, int index) {
        mark(area, index);
        // the read-modify-write above is a full fence: either this load sees "not polled", or the
        // owner, which stores that and then scans, sees the mark
        if ((int) INT.getVolatile(control, area + ControlLayout.POLLED) == 0) {
            wake();
        }
    }

    /** Marks a queue pair as ready without waking anyone. */
    void mark(long area, int index) {
        long leaf = area + ControlLayout.LEAVES + (long) (index >>> 6) * Long.BYTES;
        LONG.getAndBitwiseOr(control, leaf, 1L << index);
        long summary = area + ControlLayout.SUMMARY + (long) (index >>> 12) * Long.BYTES;
        long bit = 1L << (index >>> 6);
        if (((long) LONG.getVolatile(control, summary) & bit) == 0) {
            LONG.getAndBitwiseOr(control, summary, bit);
        }
    }

    /** Wakes the background thread if it sleeps. */
    void wake() {
        if ((int) INT.getVolatile(control, ControlLayout.SLEEPING) != 0
                && INT.compareAndSet(control, ControlLayout.SLEEPING, 1, 0)) {
            doorbell.ring();
        }
    }

    /** {@return whether anything may be marked in a summary word; cheap, possibly stale} */
    long summaryOpaque(long area, int word) {
        return (long)
                LONG.getOpaque(control, area + ControlLayout.SUMMARY + (long) word * Long.BYTES);
    }

    /** Owner: {@return and clears a summary word} Clear it before the leaves it covers. */
    long takeSummary(long area, int word) {
        return (long)
                LONG.getAndSet(
                        control, area + ControlLayout.SUMMARY + (long) word * Long.BYTES, 0L);
    }

    /** Owner: {@return and clears a leaf} */
    long takeLeaf(long area, int leaf) {
        return (long)
                LONG.getAndSet(control, area + ControlLayout.LEAVES + (long) leaf * Long.BYTES, 0L);
    }

    /** Owner: says whether the application polls the queue. */
    void polledVolatile(long area, boolean polled) {
        INT.setVolatile(control, area + ControlLayout.POLLED, polled ? 1 : 0);
    }

    /** Owner: announces sleep. A full fence: scan once more after it. */
    void sleepingVolatile(boolean sleeping) {
        INT.setVolatile(control, ControlLayout.SLEEPING, sleeping ? 1 : 0);
        VarHandle.fullFence();
    }

    Doorbell doorbell() {
        return doorbell;
    }
}
