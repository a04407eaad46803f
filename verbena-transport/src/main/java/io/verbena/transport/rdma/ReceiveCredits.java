// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The credits owed to the peer: how many receives were reposted after they had carried data, and
 * when to report them in a separate message, the pure acknowledgement.
 *
 * <p>Counters that only grow: {@code reposted} and {@code acknowledged} are written by the
 * dispatcher, {@code reported} and {@code sent} inside the posting turn.
 */
final class ReceiveCredits {
    private static final VarHandle REPOSTED;
    private static final VarHandle REPORTED;
    private static final VarHandle ACKNOWLEDGED;
    private static final VarHandle SENT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            REPOSTED = lookup.findVarHandle(ReceiveCredits.class, "reposted", long.class);
            REPORTED = lookup.findVarHandle(ReceiveCredits.class, "reported", long.class);
            ACKNOWLEDGED = lookup.findVarHandle(ReceiveCredits.class, "acknowledged", long.class);
            SENT = lookup.findVarHandle(ReceiveCredits.class, "sent", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private int capacity;
    private long reposted;
    private long reported;
    private long acknowledged;
    private long sent;

    /**
     * Sets the limits, before the first report.
     *
     * @param receiveQueueSize the depth of this side's receive queue
     * @param peerSendQueueSize the depth of the peer's send queue
     */
    void open(int receiveQueueSize, int peerSendQueueSize) {
        capacity = SendWindow.capacity(peerSendQueueSize, receiveQueueSize);
    }

    /** {@return the most data messages the peer may have in flight} */
    int capacity() {
        return capacity;
    }

    /** Counts reposted receives. Dispatcher. */
    void repostRelease(int count) {
        // the device has the receives before the peer can learn of them
        REPOSTED.setRelease(this, reposted + count);
    }

    /** {@return how many receives the peer does not know about} */
    int unreported() {
        return (int) ((long) REPOSTED.getAcquire(this) - (long) REPORTED.getAcquire(this));
    }

    /** {@return free places for pure acknowledgements} */
    int acknowledgementRoom() {
        return (int)
                (SendWindow.RESERVED
                        - ((long) SENT.getAcquire(this) - (long) ACKNOWLEDGED.getAcquire(this)));
    }

    /** {@return whether more than half a window is unreported and there is a place for a report} */
    boolean isAcknowledgementDue() {
        return unreported() - 1 > capacity / 2 && acknowledgementRoom() > 0;
    }

    /** {@return everything unreported, which from now on counts as reported} Inside the turn. */
    int take() {
        long now = (long) REPOSTED.getAcquire(this);
        int count = (int) (now - reported);
        REPORTED.setRelease(this, now);
        return count;
    }

    /** Counts a pure acknowledgement, before it is posted. Inside the turn. */
    void sendRelease() {
        SENT.setRelease(this, sent + 1);
    }

    /** Counts the completion of a pure acknowledgement. Dispatcher. */
    void acknowledgeRelease() {
        ACKNOWLEDGED.setRelease(this, acknowledged + 1);
    }

    /** {@return pure acknowledgements sent since the start} */
    long sentAcquire() {
        return (long) SENT.getAcquire(this);
    }
}
