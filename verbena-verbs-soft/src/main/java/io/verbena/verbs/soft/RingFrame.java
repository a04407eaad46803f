// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.soft.RawMemory.ALL;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A frame in a {@link ReceiveRing}. Its bytes are in its slots or in memory it describes. */
final class RingFrame extends InboundFrame {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final Peer peer;
    private final MemorySlice slice = new MemorySlice();
    private final long[] starts = new long[RingLayout.MAX_DESCRIPTORS];
    private final int[] lengths = new int[RingLayout.MAX_DESCRIPTORS];
    private final int[] ids = new int[RingLayout.MAX_DESCRIPTORS];
    private long at;
    private int slots;
    private int descriptors;

    /**
     * @param peer knows the memory that frames describe
     */
    RingFrame(Peer peer) {
        this.peer = peer;
    }

    /** Reads the frame at the head of a ring, which the word has published. */
    void read(long word, ReceiveRing ring) {
        start(RingLayout.kind(word), RingLayout.flags(word));
        slots = RingLayout.slots(word);
        descriptors = RingLayout.descriptors(word);
        if (!ring.fits(slots)) {
            return;
        }
        if (kind() == FrameKind.PAD) {
            wellFormed(true);
            return;
        }
        at = ring.headAddress();
        long ackImmediate = RawMemory.getLong(at + RingLayout.ACK_IMMEDIATE);
        long rkeyLength = RawMemory.getLong(at + RingLayout.RKEY_LENGTH);
        numbers((int) ackImmediate, (int) (ackImmediate >>> 32));
        target(RawMemory.getLong(at + RingLayout.REMOTE_ADDRESS), (int) rkeyLength);
        lengths(rkeyLength >>> 32, RawMemory.getInt(at + RingLayout.FRAME_LENGTH));
        wellFormed(isConsistent());
    }

    private boolean isConsistent() {
        int length = length();
        if (length < 0 || length > messageLength() || messageLength() > SoftLimits.MAX_MESSAGE) {
            return false;
        }
        if (descriptors == 0) {
            return FrameKind.isAtomic(kind())
                    ? length == Long.BYTES
                    : slots <= RingLayout.MAX_FRAME_SLOTS
                            && length <= RingLayout.MAX_PAYLOAD
                            && slots >= RingLayout.slotsFor(length);
        }
        return descriptors <= RingLayout.MAX_DESCRIPTORS
                && length <= RingLayout.MAX_DESCRIBED
                && !FrameKind.isAtomic(kind())
                && slots >= RingLayout.slotsFor(descriptors * RingLayout.DESCRIPTOR)
                && readDescriptors();
    }

    private boolean readDescriptors() {
        long total = 0;
        for (int i = 0; i < descriptors; i++) {
            long descriptor = RingLayout.descriptor(at, i);
            starts[i] = RawMemory.getLong(descriptor + RingLayout.DESCRIPTOR_START);
            lengths[i] = RawMemory.getInt(descriptor + RingLayout.DESCRIPTOR_LENGTH);
            ids[i] = RawMemory.getInt(descriptor + RingLayout.DESCRIPTOR_ID);
            if (lengths[i] < 0) {
                return false;
            }
            total += lengths[i];
        }
        return total == length();
    }

    /** {@return how many slots the frame takes; only for a well-formed frame} */
    int slots() {
        return slots;
    }

    @Override
    boolean isDescribed() {
        return descriptors > 0;
    }

    @Override
    boolean copyTo(ElementCursor receive) {
        if (descriptors == 0) {
            return receive.write(ALL, payload(), length());
        }
        for (int i = 0; i < descriptors; i++) {
            if (!peer.resolve(ids[i], starts[i], lengths[i], false, slice)
                    || !receive.write(slice.memory(), slice.offset(), lengths[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    boolean copyTo(MemorySlice target) {
        if (descriptors == 0) {
            return ByteCopy.tryCopy(ALL, payload(), target.memory(), target.offset(), length());
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

    @Override
    boolean copyFrom(MemorySlice source) {
        if (descriptors == 0) {
            return ByteCopy.tryCopy(source.memory(), source.offset(), ALL, payload(), length());
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

    private long payload() {
        return RawMemory.range(at + RingLayout.PAYLOAD, length());
    }

    /** Executes the atomic; the old value goes into the frame's own slot. */
    @Override
    void executeAtomic(MemorySlice target) {
        long operand = RawMemory.getLong(at + RingLayout.ATOMIC_OPERAND);
        long swap = RawMemory.getLong(at + RingLayout.ATOMIC_SWAP);
        long old =
                kind() == FrameKind.FETCH_AND_ADD
                        ? (long) LONG.getAndAdd(target.memory(), target.offset(), operand)
                        : (long)
                                LONG.compareAndExchange(
                                        target.memory(), target.offset(), operand, swap);
        RawMemory.setLong(at + RingLayout.ATOMIC_RESULT, old);
    }
}
