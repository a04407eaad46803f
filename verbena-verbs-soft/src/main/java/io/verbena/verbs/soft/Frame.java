// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.soft.RawMemory.ALL;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A frame as the responder read it: every field once, into plain memory, so that a peer that
 * changes it later changes nothing here. Reused for every frame.
 */
final class Frame {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySlice slice = new MemorySlice();
    private final long[] starts = new long[RingLayout.MAX_DESCRIPTORS];
    private final int[] lengths = new int[RingLayout.MAX_DESCRIPTORS];
    private final int[] ids = new int[RingLayout.MAX_DESCRIPTORS];
    private long at;
    private int kind;
    private int flags;
    private int slots;
    private int descriptors;
    private int acknowledged;
    private int immediate;
    private long remoteAddress;
    private int rkey;
    private long messageLength;
    private int length;

    /** Reads the frame at the head of a ring; {@return false if it makes no sense} */
    boolean read(long word, ReceiveRing ring) {
        kind = RingLayout.kind(word);
        flags = RingLayout.flags(word);
        slots = RingLayout.slots(word);
        descriptors = RingLayout.descriptors(word);
        if (!ring.fits(slots)) {
            return false;
        }
        if (kind == RingLayout.KIND_PAD) {
            length = 0;
            return true;
        }
        at = ring.headAddress();
        long ackImmediate = ALL.get(ValueLayout.JAVA_LONG, at + RingLayout.ACK_IMMEDIATE);
        long rkeyLength = ALL.get(ValueLayout.JAVA_LONG, at + RingLayout.RKEY_LENGTH);
        acknowledged = (int) ackImmediate;
        immediate = (int) (ackImmediate >>> 32);
        remoteAddress = ALL.get(ValueLayout.JAVA_LONG, at + RingLayout.REMOTE_ADDRESS);
        rkey = (int) rkeyLength;
        messageLength = rkeyLength >>> 32;
        length = ALL.get(ValueLayout.JAVA_INT, at + RingLayout.FRAME_LENGTH);
        return isConsistent();
    }

    private boolean isConsistent() {
        if (length < 0 || length > messageLength || messageLength > SoftLimits.MAX_MESSAGE) {
            return false;
        }
        if (descriptors == 0) {
            return kind >= RingLayout.KIND_COMPARE_AND_SWAP
                    ? length == Long.BYTES
                    : slots <= RingLayout.MAX_FRAME_SLOTS
                            && length <= RingLayout.MAX_PAYLOAD
                            && slots >= RingLayout.slotsFor(length);
        }
        return descriptors <= RingLayout.MAX_DESCRIPTORS
                && length <= RingLayout.MAX_DESCRIBED
                && kind < RingLayout.KIND_COMPARE_AND_SWAP
                && slots >= RingLayout.slotsFor(descriptors * RingLayout.DESCRIPTOR)
                && readDescriptors();
    }

    private boolean readDescriptors() {
        long total = 0;
        for (int i = 0; i < descriptors; i++) {
            long descriptor = at + RingLayout.PAYLOAD + (long) i * RingLayout.DESCRIPTOR;
            starts[i] = ALL.get(ValueLayout.JAVA_LONG, descriptor);
            lengths[i] = ALL.get(ValueLayout.JAVA_INT, descriptor + 8);
            ids[i] = ALL.get(ValueLayout.JAVA_INT, descriptor + 12);
            if (lengths[i] < 0) {
                return false;
            }
            total += lengths[i];
        }
        return total == length;
    }

    /** Copies the frame's bytes into a posted receive; {@return false if that is not allowed} */
    boolean copyTo(ReceiveCursor cursor, Peer peer) {
        if (descriptors == 0) {
            return cursor.place(ALL, at + RingLayout.PAYLOAD, length);
        }
        for (int i = 0; i < descriptors; i++) {
            if (!peer.resolve(ids[i], starts[i], lengths[i], false, slice)
                    || !cursor.place(slice.memory(), slice.offset(), lengths[i])) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies the frame's bytes to memory that was checked; {@return false if the source is gone}
     */
    boolean copyTo(MemorySlice target, Peer peer) {
        if (descriptors == 0) {
            return ByteCopy.tryCopy(
                    ALL, at + RingLayout.PAYLOAD, target.memory(), target.offset(), length);
        }
        long to = target.offset();
        for (int i = 0; i < descriptors; i++) {
            if (!peer.resolve(ids[i], starts[i], lengths[i], false, slice)
                    || !ByteCopy.tryCopy(
                            slice.memory(), slice.offset(), target.memory(), to, lengths[i])) {
                return false;
            }
            to += lengths[i];
        }
        return true;
    }

    /**
     * Copies memory that was checked to where the frame wants it; {@return false if that is gone}
     */
    boolean copyFrom(MemorySlice source, Peer peer) {
        if (descriptors == 0) {
            return ByteCopy.tryCopy(
                    source.memory(), source.offset(), ALL, at + RingLayout.PAYLOAD, length);
        }
        long from = source.offset();
        for (int i = 0; i < descriptors; i++) {
            if (!peer.resolve(ids[i], starts[i], lengths[i], true, slice)
                    || !ByteCopy.tryCopy(
                            source.memory(), from, slice.memory(), slice.offset(), lengths[i])) {
                return false;
            }
            from += lengths[i];
        }
        return true;
    }

    /** Executes the atomic on an aligned word; its old value goes into the frame. */
    void executeAtomic(MemorySlice target) {
        long operand = ALL.get(ValueLayout.JAVA_LONG, at + RingLayout.ATOMIC_OPERAND);
        long swap = ALL.get(ValueLayout.JAVA_LONG, at + RingLayout.ATOMIC_SWAP);
        long old =
                kind == RingLayout.KIND_FETCH_AND_ADD
                        ? (long) LONG.getAndAdd(target.memory(), target.offset(), operand)
                        : (long)
                                LONG.compareAndExchange(
                                        target.memory(), target.offset(), operand, swap);
        ALL.set(ValueLayout.JAVA_LONG, at + RingLayout.ATOMIC_RESULT, old);
    }

    int kind() {
        return kind;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    int slots() {
        return slots;
    }

    boolean isDescribed() {
        return descriptors > 0;
    }

    int acknowledged() {
        return acknowledged;
    }

    int immediate() {
        return immediate;
    }

    long remoteAddress() {
        return remoteAddress;
    }

    int rkey() {
        return rkey;
    }

    long messageLength() {
        return messageLength;
    }

    int length() {
        return length;
    }
}
