// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The user's view of an inbox: one message after the other, whether it came in a frame or was read.
 *
 * <p>{@link #open} points at the next message; it stays where it is until {@link #finish} or {@link
 * #detach}. Threads: one at a time.
 */
final class InboxReader {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final SocketEndpoint endpoint;
    private final Inbox inbox;
    private final ReceiveSlots slots;
    private final int manyFrames = Math.max(1, ReceiveSlots.greeting().credits() / 2);
    private int framePosition;
    private int framesConsumed;
    private MemorySegment memory = MemorySegment.NULL;
    private long offset;
    private int length;
    private int flag;

    InboxReader(SocketEndpoint endpoint) {
        this.endpoint = endpoint;
        this.inbox = endpoint.inbox();
        this.slots = endpoint.slots();
    }

    boolean isReadable() {
        return inbox.isReadable();
    }

    /** {@return whether there is something to read, or nothing more will come} */
    boolean isReadableOrOver() {
        return isReadable() || isOver();
    }

    /** {@return whether nothing more can be read} */
    boolean isOver() {
        // the order matters: once the end is seen, everything that came before it is in the inbox
        if (endpoint.isEnded()) {
            return !isReadable();
        }
        return endpoint.isPeerClosed() && inbox.isEmpty();
    }

    /**
     * {@return whether the connection ended with the peer's CLOSE and nothing was lost before it}
     * Only if it is over.
     */
    boolean isCleanEnd() {
        return endpoint.isPeerClosed() && inbox.isEmpty();
    }

    /** Points at the next message; only if readable. */
    void open() throws IOException {
        InboxEntry entry = inbox.head();
        if (entry.isFrame()) {
            openRecord(entry);
        } else {
            memory = entry.payload == null ? MemorySegment.NULL : entry.payload.memory();
            offset = 0;
            length = entry.length;
            flag = entry.flag;
        }
    }

    private void openRecord(InboxEntry entry) throws IOException {
        memory = slots.frames();
        long at = slots.offset(entry.slot) + (long) framePosition;
        int left = entry.length - framePosition - Outbox.HEADER;
        length = left < 0 ? -1 : memory.get(INT, at);
        if (length < 0 || length > left) {
            ProtocolException nonsense =
                    new ProtocolException(
                            "record: " + length + " bytes (expected: 0.." + left + ")");
            endpoint.onNonsense(nonsense);
            throw new IOException("the peer broke the protocol", nonsense);
        }
        flag = memory.get(INT, at + 4);
        offset = at + Outbox.HEADER;
    }

    MemorySegment memory() {
        return memory;
    }

    long offset() {
        return offset;
    }

    int length() {
        return length;
    }

    int flag() {
        return flag;
    }

    /** Copies the message; the target has room for it. */
    void copyTo(ByteBuffer target) {
        InboxEntry entry = inbox.head();
        int position = target.position();
        if (entry.isFrame()) {
            target.put(position, slots.bytes(), (int) offset, length);
        } else if (length > 0) {
            target.put(position, memory.asByteBuffer(), 0, length);
        }
        target.position(position + length);
    }

    byte[] copy() {
        byte[] bytes = new byte[length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        return bytes;
    }

    /** Moves past the message; its memory may be reused. */
    void finish() {
        InboxEntry entry = inbox.head();
        if (entry.isFrame()) {
            framePosition += Outbox.HEADER + length + 7 & -8;
            if (framePosition >= entry.length) {
                finishFrame();
            }
            return;
        }
        if (entry.payload != null) {
            entry.payload.release();
            entry.payload = null;
            endpoint.intake().onReleased(length);
        }
        inbox.consumeRelease();
        endpoint.callLoop();
    }

    private void finishFrame() {
        framePosition = 0;
        inbox.consumeRelease();
        if (++framesConsumed == manyFrames) {
            framesConsumed = 0;
            endpoint.callLoop();
        }
    }

    /**
     * Moves past the message; {@return the memory it was read into} Pass it to {@link #release} in
     * the end.
     */
    Payload detach() {
        InboxEntry entry = inbox.head();
        Payload payload = entry.payload;
        entry.payload = null;
        inbox.consumeRelease();
        endpoint.callLoop();
        return payload;
    }

    /** {@return whether the message has memory of its own} */
    boolean isDetachable() {
        InboxEntry entry = inbox.head();
        return !entry.isFrame() && entry.payload != null;
    }

    /** Gives back the memory of a detached message. */
    void release(Payload payload) {
        payload.release();
        endpoint.intake().onReleased(payload.length());
        endpoint.callLoop();
    }
}
