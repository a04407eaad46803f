// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets callers into native code while an object is open, and lets its owner free it only when all
 * of them are out again. Without it, a call that races with a close would access freed memory and
 * crash the JVM.
 *
 * <p>One word holds the number of callers inside and, in its highest bit, "closed". Entering adds
 * one and reads the old value, in one atomic step; closing sets the bit in one atomic step. These
 * steps have a single order. A caller that comes before the close is in the count, so the closer
 * waits for it; a caller that comes after sees the bit and turns back. Leaving is a release and the
 * closer's read an acquire: what the callers did is done before the object is freed.
 *
 * <p>Callers stay inside for one native call and never wait there for a closer, so the closer's
 * wait is short: it spins, then parks in small steps. There is no padding: a driver's own lock lies
 * in shared memory as well.
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
     * @param owner the object; its {@code toString} names it in messages
     */
    Gate(Object owner) {
        this.owner = owner;
    }

    /**
     * Enters; {@link #leave} must follow in a {@code finally}.
     *
     * @throws IllegalStateException if the gate is closed; then the caller has not entered
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
     * Closes the gate, waits until nobody is inside, and frees the object. A second close, even a
     * concurrent one, returns only when that is done, so that a parent may go on.
     *
     * @param free frees what the gate guards; called once, with the closing lock held
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
