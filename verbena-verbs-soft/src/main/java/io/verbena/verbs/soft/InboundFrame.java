// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * A frame as the responder read it: every header field is read once, into plain memory, so that
 * later changes by the peer have no effect here. The wire knows where the payload is. Reused for
 * every frame.
 */
abstract class InboundFrame {
    private boolean isWellFormed;
    private int kind;
    private int flags;
    private int acknowledged;
    private int immediate;
    private long remoteAddress;
    private int rkey;
    private long messageLength;
    private int length;

    /** Starts a new frame, which is malformed until {@link #wellFormed}. */
    final void start(int frameKind, int frameFlags) {
        isWellFormed = false;
        kind = frameKind;
        flags = frameFlags;
        length = 0;
    }

    final void numbers(int carriedAcknowledgement, int immediateData) {
        acknowledged = carriedAcknowledgement;
        immediate = immediateData;
    }

    final void target(long address, int key) {
        remoteAddress = address;
        rkey = key;
    }

    final void lengths(long ofMessage, int ofFrame) {
        messageLength = ofMessage;
        length = ofFrame;
    }

    final void wellFormed(boolean isSo) {
        isWellFormed = isSo;
    }

    /** {@return whether the frame is well formed} If not, no other method may be called. */
    final boolean isWellFormed() {
        return isWellFormed;
    }

    /** {@return one of {@link FrameKind}, or an invalid number from the peer} */
    final int kind() {
        return kind;
    }

    final boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** {@return how far the peer has executed our own frames, see {@link Outbound}} */
    final int acknowledged() {
        return acknowledged;
    }

    final int immediate() {
        return immediate;
    }

    final long remoteAddress() {
        return remoteAddress;
    }

    final int rkey() {
        return rkey;
    }

    final long messageLength() {
        return messageLength;
    }

    /** {@return the length of this frame's part of the message} */
    final int length() {
        return length;
    }

    /**
     * {@return whether the bytes are in the sender's memory, which the sender may give up any time}
     */
    abstract boolean isDescribed();

    /** Copies the frame's bytes into a posted receive; {@return false if that is not allowed} */
    abstract boolean copyTo(ElementCursor receive);

    /** Copies the frame's bytes to checked memory; {@return false if either side is gone} */
    abstract boolean copyTo(MemorySlice target);

    /** Copies checked memory to the target of a read; {@return false if either side is gone} */
    abstract boolean copyFrom(MemorySlice source);

    /** Executes the atomic on an aligned word and answers with its old value. */
    abstract void executeAtomic(MemorySlice target);
}
