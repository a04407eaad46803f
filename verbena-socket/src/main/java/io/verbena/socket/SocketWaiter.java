// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.WaitingPlace;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.function.BooleanSupplier;

/** Where one thread at a time waits for a connection, with the exceptions of {@code java.net}. */
final class SocketWaiter {
    /** No deadline. */
    static final long FOREVER = WaitingPlace.FOREVER;

    private final WaitingPlace place;

    SocketWaiter(EventLoop loop) {
        this.place = new WaitingPlace(loop.poller());
    }

    /** {@return the point in time that is this far ahead} */
    static long deadline(long timeoutNs) {
        long now = System.nanoTime();
        // far enough ahead never to be reached, and near enough that no difference overflows
        return now + Math.min(timeoutNs, FOREVER >> 2);
    }

    /**
     * Waits until a condition holds.
     *
     * @param condition checked by this thread only
     * @param deadlineNs see {@link #deadline}, or {@link #FOREVER}
     * @throws SocketTimeoutException if it does not hold in time
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status stays set
     */
    void await(BooleanSupplier condition, long deadlineNs) throws InterruptedIOException {
        try {
            if (!place.await(condition, deadlineNs)) {
                throw new SocketTimeoutException("the peer did not answer in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure =
                    new InterruptedIOException("interrupted while waiting for the peer");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Something changed. The caller has a full fence between the change and this call. */
    void signal() {
        place.signal();
    }
}
