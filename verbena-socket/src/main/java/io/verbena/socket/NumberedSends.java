// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.MemorySegment;

/**
 * The send queue of a connection: posts requests, and knows from completions what the device is
 * done with.
 *
 * <p>Every request has a number, and a completion also stands for all lower numbers. Threads: the
 * holder of the loop's turn.
 */
final class NumberedSends {
    /** The most requests that a connection may have posted; a power of two. */
    static final int DEPTH = 128;

    /** Frames that may be in flight before small ones wait to be gathered into larger ones. */
    private static final int MANY_FRAMES = 4;

    /** One short frame in this many has a completion; every longer one does. */
    private static final int SIGNAL_EVERY = 2;

    private static final int SHORT_FRAME = 1024;
    private static final int MAX_CONTROL = 2;

    private final QueuePair pair;
    private final SendWorkRequest request;
    private final MemorySegment metaData;
    private final int metaDataKey;
    private final long owner;
    private final long[] outboxPositions = new long[DEPTH];
    private final int[] frames = new int[DEPTH];
    private long outboxPosition;
    private long posted;
    private long completed;
    private int framesPosted;
    private int framesCompleted;
    private int controlsUnderWay;

    NumberedSends(QueuePair pair, Requests requests, long owner) {
        this.pair = pair;
        this.request = requests.send;
        this.metaData = requests.metaData.memory();
        this.metaDataKey = requests.metaData.lkey();
        this.owner = owner;
    }

    boolean isFull() {
        return posted - completed >= DEPTH;
    }

    /**
     * {@return whether so many frames are in flight that a short one should wait for more to join
     * it}
     */
    boolean isBusy() {
        return framesPosted - framesCompleted >= MANY_FRAMES;
    }

    boolean isIdle() {
        return posted == completed;
    }

    boolean mayControl() {
        return !isFull() && controlsUnderWay < MAX_CONTROL;
    }

    /** The completion of what is posted next frees the outbox up to here. */
    void outboxAt(long position) {
        outboxPosition = position;
    }

    /** {@return where to write a control message before {@link #sendMetaData}} */
    MemorySegment metaData() {
        return metaData;
    }

    void sendMetaData() {
        request.opcode(SendOpcode.SEND)
                .flags(
                        SendWorkRequest.SIGNALED
                                | SendWorkRequest.INLINE
                                | SendWorkRequest.SOLICITED)
                .elementCount(1)
                .element(0)
                .set(metaData.address(), MetaData.BYTES, metaDataKey);
        post(WorkId.SEND);
    }

    void sendFrame(Outbox outbox, int length, int immediate) {
        framesPosted++;
        boolean isSignaled = length >= SHORT_FRAME || framesPosted % SIGNAL_EVERY == 0;
        request.opcode(SendOpcode.SEND_WITH_IMMEDIATE)
                .immediate(immediate)
                .flags(SendWorkRequest.SOLICITED | (isSignaled ? SendWorkRequest.SIGNALED : 0))
                .elementCount(1)
                .element(0)
                .set(outbox.frameAddress(), length, outbox.lkey());
        outbox.frameTaken();
        outboxAt(outbox.sent());
        post(WorkId.SEND);
    }

    /** Sends a frame without messages. */
    void sendControl(int immediate) {
        controlsUnderWay++;
        request.opcode(SendOpcode.SEND_WITH_IMMEDIATE)
                .immediate(immediate)
                .flags(SendWorkRequest.SIGNALED | SendWorkRequest.SOLICITED)
                .elementCount(0);
        post(WorkId.CONTROL);
    }

    void read(InboxEntry entry) {
        request.opcode(SendOpcode.RDMA_READ)
                .flags(SendWorkRequest.SIGNALED)
                .remote(entry.remoteAddress, entry.rkey)
                .elementCount(1)
                .element(0)
                .set(entry.payload.address(), entry.length, entry.payload.lkey());
        post(WorkId.READ);
    }

    private void post(int kind) {
        int index = (int) posted & DEPTH - 1;
        outboxPositions[index] = outboxPosition;
        frames[index] = framesPosted;
        request.id(WorkId.of(owner, kind, posted));
        posted++;
        if (pair.postSend(request) != 1) {
            throw new IllegalStateException(
                    "send queue: full at "
                            + (posted - completed)
                            + " (expected: room, "
                            + DEPTH
                            + ")");
        }
    }

    @Override
    public String toString() {
        return "posted " + posted + ", completed " + completed;
    }

    /** {@return the position up to which the device is done with the outbox} */
    long onCompletion(int kind, int number) {
        long done = completed + (number - completed & WorkId.NUMBERS - 1);
        int index = (int) done & DEPTH - 1;
        completed = done + 1;
        framesCompleted = frames[index];
        if (kind == WorkId.CONTROL) {
            controlsUnderWay--;
        }
        return outboxPositions[index];
    }
}
