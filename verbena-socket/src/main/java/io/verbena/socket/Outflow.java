// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.net.ProtocolException;
import java.util.Optional;

/**
 * Sends what is in the outbox, as far as the peer has room for it, and takes back what the peer is
 * done with.
 *
 * <p>Threads: the holder of the loop's turn; the producer calls {@link #open}.
 */
final class Outflow {
    private final NumberedSends queue;
    private final Returns returns;
    private final InFlight inFlight = new InFlight();
    private volatile Outbox outbox;
    private boolean isNative;
    private int maxCredits;
    private int credits;
    private int frameBytes;
    private boolean isCloseWanted;
    private boolean isCloseSent;

    Outflow(NumberedSends queue, Returns returns) {
        this.queue = queue;
        this.returns = returns;
    }

    void agree(Agreement agreement) {
        isNative = agreement.isNative();
        maxCredits = agreement.credits();
        credits = agreement.credits();
        frameBytes = Math.min(agreement.frameBytes(), ReceiveSlots.NATIVE_BYTES);
    }

    /** Starts sending from an outbox. Called once. */
    void open(Outbox filled) {
        outbox = filled;
    }

    void flush() {
        if (outbox == null) {
            closeIfDone(true);
            return;
        }
        while (credits > 0 && !queue.isFull()) {
            int length = outbox.nextFrame(frameBytes);
            if (length == 0 || !trySend(length)) {
                break;
            }
        }
        closeIfDone(outbox.isEmpty());
    }

    private boolean trySend(int length) {
        if (length == Outbox.BY_READ) {
            if (!inFlight.hasRoom()) {
                return false;
            }
            announce();
        } else {
            if (queue.isBusy() && length < frameBytes / 2) {
                return false;
            }
            queue.sendFrame(outbox, length, returns.take());
        }
        credits--;
        return true;
    }

    private void announce() {
        int flag = outbox.payloadFlag();
        Payload payload = outbox.takePayload();
        long cookie = inFlight.add(payload);
        MetaData.writeNormal(
                queue.metaData(),
                flag,
                payload.length(),
                payload.address(),
                cookie,
                payload.rkey());
        queue.outboxAt(outbox.sent());
        queue.sendMetaData();
    }

    /**
     * The device is done with all requests up to this one; {@return whether the outbox has more
     * room}
     */
    boolean onCompletion(long position) {
        if (outbox == null) {
            return false;
        }
        outbox.free(position);
        return true;
    }

    /** A peer of the older protocol has read the message it names. */
    void onAck(long address, long cookie) throws ProtocolException {
        Optional<Payload> payload =
                isNative ? Optional.empty() : inFlight.tryRemove(address, cookie);
        if (payload.isEmpty()) {
            throw new ProtocolException(
                    "ACK of msg_addr 0x"
                            + Long.toHexString(address)
                            + ", mr_addr "
                            + cookie
                            + " (expected: a message in flight)");
        }
        acknowledge(payload.get());
        credits++;
    }

    /** A native peer returns credits for what it is done with. */
    void onReturns(int immediate) throws ProtocolException {
        int reads = Returns.reads(immediate);
        for (int i = 0; i < reads; i++) {
            acknowledge(
                    inFlight.tryRemoveOldest()
                            .orElseThrow(
                                    () ->
                                            new ProtocolException(
                                                    "reads: "
                                                            + reads
                                                            + " (expected: no more than messages in"
                                                            + " flight)")));
        }
        credits += Returns.credits(immediate);
        if (credits > maxCredits) {
            throw new ProtocolException(
                    "credits: " + credits + " (expected: at most " + maxCredits + ")");
        }
    }

    private void acknowledge(Payload payload) {
        payload.release();
        outbox.onAcknowledged(payload.length());
    }

    /** Tells the peer, after everything else, that nothing follows. */
    void close() {
        isCloseWanted = true;
    }

    private void closeIfDone(boolean isOutboxEmpty) {
        if (isCloseWanted
                && !isCloseSent
                && isOutboxEmpty
                && inFlight.isEmpty()
                && credits > 0
                && !queue.isFull()) {
            MetaData.writeClose(queue.metaData());
            queue.sendMetaData();
            isCloseSent = true;
        }
    }

    /** {@return whether the peer has everything, including CLOSE} */
    boolean isClosed() {
        return isCloseSent && queue.isIdle();
    }

    /** {@return whether the peer itself acknowledged everything, except CLOSE} */
    boolean isSettled() {
        return isCloseSent && !isNative;
    }

    @Override
    public String toString() {
        return "out: credits "
                + credits
                + ", in flight "
                + inFlight
                + ", outbox "
                + (outbox == null ? "none" : outbox)
                + ", "
                + queue;
    }

    /** Gives back all memory; nothing more is sent or read. */
    void release() {
        inFlight.release();
        if (outbox != null) {
            outbox.release();
            outbox = null;
        }
    }
}
