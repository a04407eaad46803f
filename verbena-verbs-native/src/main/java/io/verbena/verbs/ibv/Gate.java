// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets callers into native code while an object is open, and lets its owner free it only when all
 * are out again. Without it a call that meets a close would reach freed memory and end the JVM.
 *
 * <p>One word holds the number of callers inside and, in its highest bit, "closed". Entering adds
 * one and looks at the old value, in one atomic step; closing sets the bit in one atomic step. In
 * the single order of those steps a caller is either before the close, then the closer sees it in
 * the count and waits, or after it, then the caller sees the bit and turns back. Leaving is a
 * release and the closer's look an acquire: what the callers did is done before the object goes.
 *
 * <p>Callers stay inside for one native call and never wait there for anybody who closes, so the
 * closer's wait is short: it spins, then parks in small steps. Padding is left out: a driver's own
 * lock lies in shared memory as well.
 */
final class Gate {
    private static final int CLOSED = Integer.MIN_VALUE;
    private static final int SPINS = 200;
    private static final long PARK_NS = 20_000;
    private static final VarHandle INSIDE;

    static {
        try {
            INSIDE = MethodHandles.lookup().findVarHandle(Gate.class, "inside", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object owner;
    private final ReentrantLock closing = new ReentrantLock();
    private volatile int inside;

    /**
     * A gate that is open.
     *
     * @param owner whose {@code toString} names it in messages
     */
    Gate(Object owner) {
        this.owner = owner;
    }

    /**
     * Enters; {@link #leave} must follow in a {@code finally}.
     *
     * @throws IllegalStateException if the gate is closed; then nobody entered
     */
    void enter() {
        if ((int) INSIDE.getAndAdd(this, 1) < 0) {
            INSIDE.getAndAdd(this, -1);
            throw closed();
        }
    }

    void leave() {
        INSIDE.getAndAddRelease(this, -1);
    }

    boolean isClosed() {
        return inside < 0;
    }

    void checkOpen() {
        if (isClosed()) {
            throw closed();
        }
    }

    /**
     * Closes the gate, waits until nobody is inside, and frees. Whoever closes again, also at the
     * same time, returns when that is done, so that a parent may go on.
     *
     * @param free ends what the gate guards; called once, with the lock on closing held
     */
    void close(Runnable free) {
        closing.lock();
        try {
            if (!isClosed()) {
                INSIDE.getAndBitwiseOr(this, CLOSED);
                awaitEmpty();
                free.run();
            }
        } finally {
            closing.unlock();
        }
    }

    private void awaitEmpty() {
        for (int i = 0; (int) INSIDE.getAcquire(this) != CLOSED; i++) {
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, PARK_NS);
            }
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException(owner + " is closed");
    }
}
