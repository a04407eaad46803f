// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * The outgoing half of a wire, as {@link Requester} and {@link Completer} see it: our frames, and
 * the peer's answers to them. Used inside the queue pair's turn, except for {@link #looksAnswered}.
 *
 * <p>A frame is claimed, filled and published, one at a time. A position is a number that grows
 * with every frame; what it counts is up to the wire. A frame has been executed once {@link
 * #acknowledged} has reached the {@link #position} that followed its publication.
 */
interface Outbound {
    /** There is no room now; {@link #takeAcknowledgement} may make some. */
    int BLOCKED = -1;

    /** The memory under the cursor is gone. */
    int LOST = -2;

    /** {@return the most bytes a frame itself carries} */
    int maxPayload();

    /**
     * Claims a frame that carries its bytes itself, or that has room for the bytes a read brings
     * back; {@return false if there is no room}
     */
    boolean tryClaim(int payloadBytes);

    /** {@return the memory that holds the claimed frame's payload, from {@link #payloadOffset}} */
    MemorySegment payload();

    long payloadOffset();

    /** Claims a frame for an atomic; {@return false if there is no room} */
    boolean tryClaimAtomic(long operand, long swap);

    /**
     * Claims a frame for the next part of a message that is too long for one frame, and moves the
     * cursor past it. The wire decides how the bytes travel: it may copy them, or tell the peer
     * where they are (for a read: where they go).
     *
     * @param cursor the requester's memory, at {@code offset}
     * @param offset where in the message the part starts
     * @param left how many bytes are left
     * @param readIndex the index of the request for a read, else -1
     * @return the length of the part, {@link #BLOCKED} or {@link #LOST}
     */
    int tryClaimPart(ElementCursor cursor, long offset, int left, long readIndex);

    /** Writes into the claimed frame which memory of the peer it is about. */
    void target(long remoteAddress, int rkey, long messageLength);

    /**
     * Publishes the claimed frame, together with everything written to it.
     *
     * @param kind one of {@link FrameKind}
     * @param flags bits of {@link FrameFlag}; the wire may add a request for an acknowledgement
     * @param length the length of this frame's part of the message
     */
    void publish(int kind, int flags, int immediate, int length);

    /**
     * Publishes a frame that only asks for an acknowledgement; {@return false if there is no room}
     */
    boolean tryRequestAcknowledgement();

    /** {@return the position after the last published frame} */
    long position();

    /** {@return the position below which everything was executed, as of the last take} */
    long acknowledged();

    /**
     * Takes what the peer has acknowledged by now: the results of all frames below that position
     * are readable.
     *
     * @return false if the peer acknowledges what was never sent
     */
    boolean takeAcknowledgement();

    /**
     * Notes the acknowledgement carried by a frame of the peer.
     *
     * @return whether it is newer than what is known; then it is worth a take
     */
    boolean noteAcknowledgement(int carried);

    /** {@return the peer's last refusal, see {@link Syndrome}, or 0} Read it before a take. */
    long refusalAcquire();

    /** Tells the peer to retry the frame it refused because no receive was posted. */
    void retry(int refusalNumber);

    /**
     * Hands over, in order, what acknowledged reads have brought into the wire's own memory, and
     * frees that memory; {@return false if some of it could not be placed}
     */
    boolean takeResults(ResultSink sink);

    /** Copies what a single-frame read brought back; {@return false if the memory is gone} */
    boolean copyRead(long end, int length, ElementCursor to);

    /** Copies the old value that an atomic brought back; {@return false if the memory is gone} */
    boolean copyAtomic(long end, ElementCursor to);

    /**
     * {@return whether the peer may still write into memory described to it} Only when the wire is
     * closed: until then it may begin at any time.
     */
    boolean mayPeerWrite();

    /**
     * {@return whether there is an acknowledgement or a refusal to take; a hint, for any thread}
     *
     * @param seenRefusal the last refusal that was dealt with
     */
    boolean looksAnswered(long seenRefusal);

    /** Where the bytes of long reads go. */
    interface ResultSink {
        /** {@return false if the memory is gone} */
        boolean place(long readIndex, long offset, MemorySegment from, long at, int length);
    }
}
