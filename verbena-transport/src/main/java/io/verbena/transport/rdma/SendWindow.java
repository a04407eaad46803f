// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How many data messages may be sent now: as many as the send queue has places, and as many as the
 * peer has receives posted.
 *
 * <p>Three counters that only grow, each written by one side: {@code posted} inside the posting
 * turn, {@code completed} and {@code credited} by the dispatcher. A window is the difference of two
 * of them.
 */
final class SendWindow {
    /** Places kept free in both queues for pure acknowledgements. */
    static final int RESERVED = 3;

    private static final VarHandle POSTED;
    private static final VarHandle COMPLETED;
    private static final VarHandle CREDITED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSTED = lookup.findVarHandle(SendWindow.class, "posted", long.class);
            COMPLETED = lookup.findVarHandle(SendWindow.class, "completed", long.class);
            CREDITED = lookup.findVarHandle(SendWindow.class, "credited", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private int capacity;
    private long posted;
    private long completed;
    private long credited;

    /**
     * Opens the window, before the first message.
     *
     * @param sendQueueSize the depth of this side's send queue
     * @param peerReceiveQueueSize the depth of the peer's receive queue
     */
    void open(int sendQueueSize, int peerReceiveQueueSize) {
        capacity = capacity(sendQueueSize, peerReceiveQueueSize);
    }

    /** {@return the most data messages in flight in one direction} */
    static int capacity(int sendQueueSize, int receiveQueueSize) {
        return Math.min(sendQueueSize, receiveQueueSize) - RESERVED;
    }

    int capacity() {
        return capacity;
    }

    /** {@return free places in the send queue} That many slots may be written again. */
    int sendRoomAcquire() {
        // pairs with completeRelease: the dispatcher has emptied the places it gave back
        return (int) (capacity - (posted - (long) COMPLETED.getAcquire(this)));
    }

    /** {@return how many of the peer's receives may still be used} */
    int remoteRoomAcquire() {
        return (int) (capacity - (posted - (long) CREDITED.getAcquire(this)));
    }

    /** {@return the number of the next message} Inside the turn. */
    long next() {
        return posted;
    }

    /**
     * Counts a message, before it is posted: its completion or credit may be seen at once. Inside
     * the turn.
     */
    void postRelease() {
        // publishes the slot of the send ring to the dispatcher
        POSTED.setRelease(this, posted + 1);
    }

    /** {@return how many messages were posted} */
    long postedAcquire() {
        return (long) POSTED.getAcquire(this);
    }

    /** {@return how many messages are known to be in the peer's memory} Dispatcher. */
    long completed() {
        return completed;
    }

    /**
     * Gives places back; what they held was released. Dispatcher.
     *
     * @param count how many, at most those {@link #postedAcquire} and not completed
     */
    void completeRelease(int count) {
        // publishes that the slots are empty
        COMPLETED.setRelease(this, completed + count);
    }

    /**
     * Adds credits from the peer. Dispatcher.
     *
     * @param count what the peer claims
     * @return false if the peer returns more than it was ever sent
     */
    boolean tryCredit(int count) {
        if (count < 0 || credited + count > postedAcquire()) {
            return false;
        }
        // needs no ordering: the count is all that is published
        CREDITED.setRelease(this, credited + count);
        return true;
    }
}
