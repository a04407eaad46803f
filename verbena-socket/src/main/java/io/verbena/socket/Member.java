// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * A sender, as its receiver sees it: its connection, and the frames of an incomplete group.
 * Threads: the receiving thread; {@link #onReadable} is called inside the loop's turn.
 */
final class Member {
    /** A frame that was taken out of the connection, so that the next ones can come. */
    private record Held(MemorySegment memory, int flag, Runnable release) {
        int cost() {
            return (int) memory.byteSize() + GroupLimits.FRAME_COST;
        }
    }

    private static final int QUANTUM_MESSAGES = 32;
    private static final int QUANTUM_BYTES = 64 << 10;

    private final RdmaSocket socket;
    private final InboxReader reader;
    private final MessageReceiver receiver;
    private final CallList.Entry<Member> call = new CallList.Entry<>(this);
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private long heldBytes;
    private boolean isQueued;
    private int messagesLeft = QUANTUM_MESSAGES;
    private int bytesLeft = QUANTUM_BYTES;

    Member(RdmaSocket socket, MessageReceiver receiver) {
        this.socket = socket;
        this.reader = socket.reader();
        this.receiver = receiver;
    }

    void join() {
        socket.endpoint().readiness(this::onReadable);
        onReadable();
    }

    private void onReadable() {
        receiver.onReadable(call);
    }

    RdmaSocket socket() {
        return socket;
    }

    /** Marks it as queued or not; {@return whether that changed anything} */
    boolean queued(boolean queued) {
        boolean isNews = isQueued != queued;
        isQueued = queued;
        return isNews;
    }

    /**
     * Lets the calling thread read from it, and deliver what it holds, until {@link #giveBack}.
     * {@return false if its socket was closed on this side}
     */
    boolean tryTake() {
        return socket.tryTakeReader();
    }

    void giveBack() {
        socket.giveBackReader();
    }

    boolean isReadable() {
        return reader.isReadable();
    }

    boolean isOver() {
        return reader.isOver();
    }

    /** Points at the next frame; only if readable. */
    void open() throws IOException {
        reader.open();
    }

    boolean isMoreToCome() {
        return (reader.flag() & MetaData.MORE) != 0;
    }

    /** {@return what the open frame costs if it is held} */
    long cost() {
        return (long) reader.length() + GroupLimits.FRAME_COST;
    }

    long heldBytes() {
        return heldBytes;
    }

    boolean holdsFrames() {
        return !held.isEmpty();
    }

    /** Takes the open frame out of the connection. */
    void hold() {
        int flag = reader.flag();
        int length = reader.length();
        heldBytes += cost();
        if (reader.isDetachable()) {
            // it no longer counts as unread: the receiver counts it now
            Payload payload = reader.detach();
            socket.endpoint().intake().onReleased(length);
            held.add(new Held(payload.memory().asSlice(0, length), flag, payload::release));
        } else {
            held.add(new Held(MemorySegment.ofArray(reader.copy()), flag, () -> {}));
            reader.finish();
        }
    }

    /** Delivers the oldest held frame. */
    void deliverHeld(MessageHandler handler) {
        Held frame = held.remove();
        heldBytes -= frame.cost();
        try {
            MemorySegment memory = frame.memory;
            handler.onMessage(socket.nodeId(), frame.flag, memory, 0, (int) memory.byteSize());
        } finally {
            frame.release.run();
        }
    }

    /** Delivers the open frame. */
    void deliver(MessageHandler handler) {
        try {
            handler.onMessage(
                    socket.nodeId(),
                    reader.flag(),
                    reader.memory(),
                    reader.offset(),
                    reader.length());
        } finally {
            messagesLeft--;
            bytesLeft -= reader.length();
            reader.finish();
        }
    }

    /** {@return whether it is the others' turn now} */
    boolean isServed() {
        if (messagesLeft > 0 && bytesLeft > 0) {
            return false;
        }
        messagesLeft = QUANTUM_MESSAGES;
        bytesLeft = QUANTUM_BYTES;
        return true;
    }

    /** Drops what it holds and its connection. */
    void drop() {
        dropHeld();
        socket.abort();
    }

    /** Drops the frames that it holds. */
    void dropHeld() {
        while (holdsFrames()) {
            Held frame = held.remove();
            frame.release.run();
        }
        heldBytes = 0;
    }
}
