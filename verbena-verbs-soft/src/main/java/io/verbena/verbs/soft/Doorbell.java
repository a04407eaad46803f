// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A word in shared memory to sleep on, until a thread of this or another process changes it.
 *
 * <p>No ring is lost if the sleeper first takes a ticket, then looks for work, and only then waits:
 *
 * <pre>{@code
 * int ticket = bell.ticket();
 * if (nothingToDo()) {
 *     bell.await(ticket, timeoutNs);
 * }
 * }</pre>
 *
 * <p>Where the system has a futex, the sleeper is in the kernel and a ring wakes it at once.
 * Elsewhere the sleeper looks at the word again and again, each pause twice the last up to {@value
 * #LONGEST_PAUSE_NS} ns: between processes there is nothing portable that wakes, and this bounds
 * both the delay and the cost of idling. A process without futex that rings does not wake one that
 * has it, so a wait that matters has a time limit.
 *
 * <p>Any thread may ring. Only platform threads should wait: the kernel sleeps with the carrier of
 * a virtual thread. Interrupts do not end a wait and stay pending. The memory must stay mapped
 * while somebody waits: ring, and join the waiters, before closing its arena.
 */
final class Doorbell {
    /** The longest pause between two looks of the portable form. */
    static final long LONGEST_PAUSE_NS = 1_000_000;

    private static final long SHORTEST_PAUSE_NS = 1_000;
    private static final VarHandle WORD = JAVA_INT.varHandle();

    private final MemorySegment memory;
    private final long offset;
    private final long address;
    private final boolean futex;

    private Doorbell(MemorySegment memory, long offset, boolean futex) {
        this.memory = memory.asSlice(0, offset + JAVA_INT.byteSize());
        this.offset = offset;
        this.address = memory.address() + offset;
        this.futex = futex;
        if (!memory.isNative() || address % JAVA_INT.byteSize() != 0) {
            throw new IllegalArgumentException(
                    "offset: " + offset + " (expected: an aligned int in native memory)");
        }
    }

    /**
     * A doorbell on a word; everybody who has a doorbell on the same word shares it.
     *
     * @param memory native or mapped
     * @param offset of an {@code int}, 4-byte aligned
     */
    Doorbell(MemorySegment memory, long offset) {
        this(memory, offset, Posix.hasFutex());
    }

    /**
     * {@return a doorbell of the portable form, whatever the system has}
     *
     * @param memory native or mapped
     * @param offset of an {@code int}, 4-byte aligned
     */
    static Doorbell portable(MemorySegment memory, long offset) {
        return new Doorbell(memory, offset, false);
    }

    /** {@return the present value; loads after it see what was stored before the ring it shows} */
    int ticket() {
        return (int) WORD.getAcquire(memory, offset);
    }

    /**
     * Sleeps until somebody rings after the ticket was taken, or the time is over.
     *
     * @param ticket what {@link #ticket()} said before the caller looked for work
     * @param timeoutNs {@link Long#MAX_VALUE} for no limit; zero or negative returns at once
     */
    void await(int ticket, long timeoutNs) {
        if (ticket() != ticket || timeoutNs <= 0) {
            return;
        }
        if (futex) {
            awaitFutex(ticket, timeoutNs);
        } else {
            awaitPolling(ticket, timeoutNs);
        }
    }

    /** Changes the word and wakes everybody who waits; publishes every store before it. */
    void ring() {
        WORD.getAndAdd(memory, offset, 1);
        if (futex) {
            Posix.futexWake(address, Integer.MAX_VALUE);
        }
    }

    private void awaitFutex(int ticket, long timeoutNs) {
        long start = System.nanoTime();
        long left = timeoutNs;
        // Loops, for the kernel may return early.
        while (left > 0 && ticket() == ticket) {
            Posix.futexWait(address, ticket, left);
            left = left(start, timeoutNs);
        }
    }

    private void awaitPolling(int ticket, long timeoutNs) {
        long start = System.nanoTime();
        long left = timeoutNs;
        long pause = SHORTEST_PAUSE_NS;
        boolean interrupted = false;
        while (left > 0 && ticket() == ticket) {
            LockSupport.parkNanos(this, Math.min(pause, left));
            // A pending interrupt would end every further pause at once and burn the core.
            interrupted |= Thread.interrupted();
            pause = Math.min(2 * pause, LONGEST_PAUSE_NS);
            left = left(start, timeoutNs);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static long left(long start, long timeoutNs) {
        return timeoutNs == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : timeoutNs - (System.nanoTime() - start);
    }
}
