// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Outgoing messages, in a ring of registered memory: the sender writes records, the event loop
 * sends as many whole ones as fit in a frame, straight from the ring.
 *
 * <pre>
 *  0        4      8           a record, its length rounded up to 8; so it travels in a frame
 *  | length | flag | bytes ... |
 * </pre>
 *
 * <p>A message that the peer will read leaves only a header here, marked {@link #BY_READ}; its
 * payload waits outside the ring. If the end of the ring is too short for a record, it is skipped.
 *
 * <p>Threads: one producer at a time ({@code put…}), and the holder of the loop's turn (the rest).
 */
final class Outbox {
    static final int HEADER = 8;

    /** Instead of a frame's length: a message that the peer reads is next. */
    static final int BY_READ = -1;

    private static final int BY_READ_FLAG = 1 << 30;
    private static final int SKIP = -1;
    private static final int MAX_PAYLOADS = 64;
    private static final int ALIGNMENT = 8;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle WRITTEN;
    private static final VarHandle FREED;
    private static final VarHandle TAKEN;
    private static final VarHandle UNACKNOWLEDGED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WRITTEN = lookup.findVarHandle(Outbox.class, "written", long.class);
            FREED = lookup.findVarHandle(Outbox.class, "freed", long.class);
            TAKEN = lookup.findVarHandle(Outbox.class, "payloadsTaken", long.class);
            UNACKNOWLEDGED = lookup.findVarHandle(Outbox.class, "unacknowledged", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Block block;
    private final MemorySegment ring;
    private final ByteBuffer bytes;
    private final int capacity;
    private final Payload[] payloads = new Payload[MAX_PAYLOADS];

    // producer's; written publishes records and payloads, and what is skipped before them
    private long written;
    private long reserved;
    private long freedSeen;
    private long payloadsPut;

    // the turn's
    private long sent;
    private long frameEnd;

    private long freed;

    private long payloadsTaken;

    /** Bytes of payloads that were put and not yet acknowledged; both threads change it. */
    private volatile long unacknowledged;

    Outbox(Block block) {
        this.block = block;
        this.ring = block.memory();
        this.bytes = ring.asByteBuffer();
        this.capacity = block.capacity();
    }

    /** Puts a message that travels in a frame; {@return false if there is no room now} */
    boolean tryPut(ByteBuffer source, int flag) {
        int length = source.remaining();
        long at = reserve(HEADER + length);
        if (at < 0) {
            return false;
        }
        ring.set(INT, at, length);
        ring.set(INT, at + 4, flag);
        bytes.put((int) at + HEADER, source, source.position(), length);
        publish();
        return true;
    }

    /** Puts a message that the peer reads; {@return false if there is no room now} */
    boolean tryPut(Payload payload, int flag) {
        if (!hasRoomForPayload()) {
            return false;
        }
        long at = reserve(HEADER);
        UNACKNOWLEDGED.getAndAdd(this, (long) payload.length());
        payloads[(int) payloadsPut++ & MAX_PAYLOADS - 1] = payload;
        ring.set(INT, at, payload.length());
        ring.set(INT, at + 4, flag | BY_READ_FLAG);
        publish();
        return true;
    }

    /** {@return where in the ring this many bytes may be written, or -1} */
    private long reserve(int length) {
        int size = align(length);
        int offset = offset(written);
        int skipped = capacity - offset < size ? capacity - offset : 0;
        if (!hasRoom(skipped + size)) {
            return -1;
        }
        if (skipped > 0) {
            ring.set(INT, offset, SKIP);
        }
        reserved = written + skipped + size;
        return offset(written + skipped);
    }

    /** {@return whether a record of this many bytes, header included, can be put now} */
    boolean hasRoomFor(int length) {
        int size = align(length);
        int toEnd = capacity - offset(written);
        return hasRoom(toEnd < size ? toEnd + size : size);
    }

    /** {@return whether a message that the peer reads can be put now} */
    boolean hasRoomForPayload() {
        return payloadsPut - (long) TAKEN.getAcquire(this) < MAX_PAYLOADS && hasRoomFor(HEADER);
    }

    private boolean hasRoom(int size) {
        if (written + size - freedSeen <= capacity) {
            return true;
        }
        freedSeen = (long) FREED.getAcquire(this);
        return written + size - freedSeen <= capacity;
    }

    private void publish() {
        WRITTEN.setRelease(this, reserved);
    }

    /** {@return the bytes of messages that the peer has yet to read} */
    long unacknowledgedBytes() {
        return unacknowledged;
    }

    /**
     * {@return how many bytes of records the next frame has, 0 if there are none, {@link #BY_READ}
     * if a message that the peer reads is next}
     *
     * @param most the longest frame
     */
    int nextFrame(int most) {
        long end = (long) WRITTEN.getAcquire(this);
        if (sent != end && ring.get(INT, offset(sent)) == SKIP) {
            sent += capacity - offset(sent);
        }
        long at = sent;
        while (at != end) {
            int offset = offset(at);
            int length = ring.get(INT, offset);
            // a frame is one piece of memory: it ends where the ring does
            if (length == SKIP || offset == 0 && at != sent) {
                break;
            }
            if ((ring.get(INT, offset + 4L) & BY_READ_FLAG) != 0) {
                if (at == sent) {
                    return BY_READ;
                }
                break;
            }
            long next = at + align(HEADER + length);
            if (next - sent > most) {
                break;
            }
            at = next;
        }
        frameEnd = at;
        return (int) (at - sent);
    }

    /** {@return the address of the frame that {@link #nextFrame} measured} */
    long frameAddress() {
        return ring.address() + offset(sent);
    }

    /** {@return the frame that {@link #nextFrame} measured} For tests. */
    MemorySegment frame(int length) {
        return ring.asSlice(offset(sent), length);
    }

    int lkey() {
        return (int) block.lkey();
    }

    void frameTaken() {
        sent = frameEnd;
    }

    /** {@return the flag of the message that the peer reads next} */
    int payloadFlag() {
        return ring.get(INT, offset(sent) + 4L) & ~BY_READ_FLAG;
    }

    /** Takes the message that the peer reads next. */
    Payload takePayload() {
        int index = (int) payloadsTaken & MAX_PAYLOADS - 1;
        Payload payload = payloads[index];
        payloads[index] = null;
        TAKEN.setRelease(this, payloadsTaken + 1);
        sent += HEADER;
        return payload;
    }

    /** A payload was read by the peer, or never will be. */
    void onAcknowledged(int length) {
        UNACKNOWLEDGED.getAndAdd(this, (long) -length);
    }

    /** {@return the position up to which everything was handed to the device} */
    long sent() {
        return sent;
    }

    /** The device is done with everything up to a position: the producer may write there. */
    void free(long position) {
        FREED.setRelease(this, position);
    }

    /** {@return whether there is nothing left to hand to the device} */
    boolean isEmpty() {
        return sent == (long) WRITTEN.getAcquire(this);
    }

    /** Gives everything back; neither thread uses it any more. */
    void release() {
        while (!isEmpty()) {
            if (nextFrame(Integer.MAX_VALUE) == BY_READ) {
                takePayload().release();
            } else {
                frameTaken();
            }
        }
        block.release();
    }

    @Override
    public String toString() {
        return "written " + written + ", sent " + sent + ", freed " + freed;
    }

    private int offset(long position) {
        return (int) position & capacity - 1;
    }

    private static int align(int length) {
        return length + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
