// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A word in shared memory to sleep on, until a thread of this or another process changes it.
 *
 * <p>No ring is lost if the sleeper takes a ticket first, then looks for work, and only then waits:
 *
 * <pre>{@code
 * int ticket = bell.ticket();
 * if (nothingToDo()) {
 *     bell.await(ticket, timeoutNs);
 * }
 * }</pre>
 *
 * <p>Where the system has a futex, the sleeper waits in the kernel and a ring wakes it at once.
 * Elsewhere it checks the word repeatedly and doubles the pause each time, up to {@value
 * #LONGEST_PAUSE_NS} ns: there is no portable way to wake another process, and this bounds both the
 * delay and the cost of idling. A ring from a process without futex does not wake a process that
 * sleeps on one, so a wait that matters has a time limit.
 *
 * <p>Any thread may ring. Only platform threads should wait: in the kernel, a virtual thread would
 * block its carrier. Interrupts do not end a wait and stay pending. The memory must stay mapped
 * while a thread waits: ring, and join the waiters, before closing its arena.
 */
final class Doorbell {
    /** The longest pause between two checks in the portable form. */
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
     * A doorbell on a word. All doorbells on the same word are one.
     *
     * @param memory native or mapped
     * @param offset of an {@code int}, 4-byte aligned
     */
    Doorbell(MemorySegment memory, long offset) {
        this(memory, offset, Posix.hasFutex());
    }

    /**
     * {@return a doorbell in the portable form, even if the system has a futex}
     *
     * @param memory native or mapped
     * @param offset of an {@code int}, 4-byte aligned
     */
    static Doorbell portable(MemorySegment memory, long offset) {
        return new Doorbell(memory, offset, false);
    }

    /**
     * {@return the current value; later loads see everything stored before the ring that set it}
     */
    int ticket() {
        return (int) WORD.getAcquire(memory, offset);
    }

    /**
     * Sleeps until the bell is rung after the ticket was taken, or the time is over.
     *
     * @param ticket what {@link #ticket()} returned before the caller looked for work
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

    /** Changes the word and wakes all waiters; publishes every earlier store. */
    void ring() {
        WORD.getAndAdd(memory, offset, 1);
        if (futex) {
            Posix.futexWake(address, Integer.MAX_VALUE);
        }
    }

    private void awaitFutex(int ticket, long timeoutNs) {
        long start = System.nanoTime();
        long left = timeoutNs;
        // Loops because the kernel may return early.
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
