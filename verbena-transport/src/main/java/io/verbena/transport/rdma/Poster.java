// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.verbs.SendWorkRequest;

/**
 * Turns written bytes into messages as long as the windows are open, and credits into pure
 * acknowledgements when they are due. Everything happens inside the posting turn.
 */
final class Poster {
    /** With fewer blocks in a row, one message more would cost too much. */
    private static final int MIN_BLOCKS = 4;

    private final BlockPool pool;
    private final QueuePairLease lease;
    private final WriteQueue writes;
    private final SendWindow window;
    private final ReceiveCredits credits;
    private final PostedSends sends;
    private final SendChain chain;
    private final int maxElements;
    private final int maxInline;
    private int maxMessage;
    private SignalingPolicy signaling = new SignalingPolicy(1);
    private SolicitedPolicy soliciting = new SolicitedPolicy(1, 1);

    Poster(
            BlockPool pool,
            QueuePairLease lease,
            WriteQueue writes,
            SendWindow window,
            ReceiveCredits credits,
            PostedSends sends) {
        this.pool = pool;
        this.lease = lease;
        this.writes = writes;
        this.window = window;
        this.credits = credits;
        this.sends = sends;
        this.maxElements = lease.maxElements();
        this.maxInline = lease.maxInlineBytes();
        this.chain = new SendChain(maxElements);
    }

    /** Sets the peer's limits, before the first message. */
    void open(int peerBlockSize) {
        maxMessage = peerBlockSize;
        signaling = new SignalingPolicy(window.capacity());
        soliciting = new SolicitedPolicy(window.capacity(), credits.capacity());
    }

    /**
     * Posts what can be posted now.
     *
     * @param isClosing whether no more writes will come: then everything gets a completion
     */
    void post(boolean isClosing) {
        writes.collect();
        int room = room();
        while (!writes.pending().isEmpty() && room > 0) {
            postMessage(room);
            room = room();
        }
        if (credits.isAcknowledgementDue()) {
            postAcknowledgement(WorkRequestId.NO_DATA);
        }
        if (isClosing
                && writes.pending().isEmpty()
                && signaling.unsignaled() > 0
                && credits.acknowledgementRoom() > 0) {
            postAcknowledgement(signaling.finish());
        }
        chain.post(lease.queuePair());
    }

    private int room() {
        return Math.min(window.sendRoomAcquire(), window.remoteRoomAcquire());
    }

    /** {@return how many messages wait for a later completion} */
    int unsignaled() {
        return signaling.unsignaled();
    }

    private void postMessage(int room) {
        IOBuf pending = writes.pending();
        SendWorkRequest request = chain.blank();
        int length = fillElements(request, pending);
        boolean isInline = length <= maxInline;
        boolean isLast = room == 1 || pending.size() == length;
        int credit = credits.take();
        int completed = signaling.next(isLast, !isInline);
        int flags =
                (completed > 0 ? SendWorkRequest.SIGNALED : 0)
                        | (isInline ? SendWorkRequest.INLINE : 0)
                        | (soliciting.next(room, writes.isLastWriteAfter(length), length, credit)
                                ? SendWorkRequest.SOLICITED
                                : 0);
        request.id(lease.requestId(completed)).flags(flags).immediate(credit);
        if (!isInline) {
            pending.cutInto(sends.slot(window.next()), length);
        }
        window.postRelease();
        if (chain.add() || isInline) {
            // the bytes of an inline message are copied by the post, so it comes before they go
            chain.post(lease.queuePair());
        }
        if (isInline) {
            pending.popFront(length);
        }
        writes.postRelease(length);
    }

    /** {@return how many bytes the elements describe, from the front} */
    private int fillElements(SendWorkRequest request, IOBuf pending) {
        int count = 0;
        int length = 0;
        int pieces = Math.min(pending.pieces(), maxElements);
        while (count < pieces && length < maxMessage) {
            if (length > 0 && isFull(pending, count) && areBlocks(pending, count + 1)) {
                break;
            }
            int part = Math.min(pending.pieceLength(count), maxMessage - length);
            request.element(count)
                    .set(pending.pieceAddress(count), part, (int) pool.lkey(pending, count));
            length += part;
            count++;
        }
        request.elementCount(count);
        return length;
    }

    /**
     * {@return whether a large write follows, of pieces that each fill messages} It gets messages
     * of its own: behind a header, all its blocks would be cut in two, and the peer would copy and
     * keep twice as many pieces.
     */
    private boolean areBlocks(IOBuf pending, int from) {
        int to = from + MIN_BLOCKS - 1;
        if (to > pending.pieces()) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (!isFull(pending, i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isFull(IOBuf pending, int piece) {
        return pending.pieceLength(piece) % maxMessage == 0;
    }

    /**
     * Posts a message without data, which takes its own place in the send queue.
     *
     * @param completed how many data messages its completion stands for
     */
    private void postAcknowledgement(int completed) {
        chain.blank()
                .id(lease.requestId(completed))
                .flags(SendWorkRequest.SIGNALED | SendWorkRequest.SOLICITED)
                .immediate(credits.take())
                .elementCount(0);
        credits.sendRelease();
        if (chain.add()) {
            chain.post(lease.queuePair());
        }
    }

    /** Frees the requests; the turn is closed and empty. */
    void close() {
        chain.close();
    }
}
