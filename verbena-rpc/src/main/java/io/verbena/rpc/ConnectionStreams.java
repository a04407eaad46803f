// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.StreamCutter;
import io.verbena.rpc.wire.StreamFrame;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The streams of one connection. Their frames travel between those of calls.
 *
 * <p>Threads: the connection's thread hands in frames; any other uses streams.
 */
final class ConnectionStreams {
    /** What an unread message costs besides its bytes. */
    static final int ENTRY_BYTES = 64;

    /** Unread data of all streams of a connection, as a multiple of the largest message. */
    private static final int MOST_UNREAD_MESSAGES = 4;

    /** Streams write no more while this much waits to be sent: calls need room too. */
    private static final long MOST_UNWRITTEN = 4L << 20;

    private static final long MOMENT_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Where frames go. */
    interface Wire {
        /**
         * Writes a frame, soon. Frames leave in the order of these calls.
         *
         * @param frame is emptied
         * @throws TransportException if it cannot be written
         */
        void writeStream(IOBuf frame);

        /**
         * The call that opens a stream is answered on it.
         *
         * @param response the frame of the response; is emptied
         */
        void onResponse(IOBuf response);

        /** {@return the connection} */
        Connection connection();
    }

    private final Wire wire;
    private final StreamContext context;
    private final StreamTable table = new StreamTable();
    private final StreamCutter cutter = new StreamCutter();

    /** Memory of unread messages. */
    private final AtomicLong unread = new AtomicLong();

    /** Bytes that peers have not consumed, if there is a limit. */
    private final AtomicLong unconsumed = new AtomicLong();

    /** Streams that wait until less is unwritten, each once. */
    private final Set<StreamWatcher> crowd = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean isCrowdPlanned = new AtomicBoolean();

    /** Why there are no more streams; null while there can be. */
    private volatile TransportException end;

    ConnectionStreams(Wire wire, StreamContext context) {
        this.wire = wire;
        this.context = context;
    }

    BlockPool pool() {
        return context.pool();
    }

    Connection connection() {
        return wire.connection();
    }

    boolean isShared() {
        return context.maxUnconsumedBytes() > 0;
    }

    long maxSegmentBytes() {
        return context.maxSegmentBytes();
    }

    long maxMessageBytes() {
        return context.maxBodyBytes();
    }

    int count() {
        return table.count();
    }

    /**
     * {@return a stream that a call of this side offers to the peer}
     *
     * @throws TransportException if the connection has ended
     */
    SocketStream offer(ByteStreamOptions options, StreamWatcher watcher) {
        return open(options, watcher, true);
    }

    /**
     * {@return a stream that the peer has offered, and does not know yet}
     *
     * @throws TransportException if the connection has ended
     */
    SocketStream accept(ByteStreamOptions options, StreamWatcher watcher) {
        return open(options, watcher, false);
    }

    private SocketStream open(ByteStreamOptions options, StreamWatcher watcher, boolean isOffered) {
        SocketStream stream =
                table.add(id -> new SocketStream(this, id, options, watcher, isOffered));
        TransportException ended = end;
        if (ended != null) {
            stream.abandon();
            throw new TransportException(ended.error(), "the connection has ended", ended);
        }
        return stream;
    }

    /** {@return what was at the front of a buffer; READY if a frame was taken out} */
    FrameCutter.Result consume(IOBuf received) {
        FrameCutter.Result result = cutter.next(received, context.maxBodyBytes());
        switch (result) {
            case READY -> onFrame(received);
            case TOO_LARGE -> {
                StreamMeta meta = cutter.meta();
                cutter.skipAsItArrives(received);
                SocketStream stream = table.find(meta.streamId());
                if (stream == null) {
                    refuseUnknown(meta);
                } else {
                    stream.refuse(RpcError.EREQUEST, "a frame larger than max_body_size");
                }
                return FrameCutter.Result.READY;
            }
            default -> {}
        }
        return result;
    }

    /** {@return whether the next bytes still belong to a frame that was too large} Removes them. */
    boolean skips(IOBuf received) {
        cutter.skipRest(received);
        return cutter.isSkipping();
    }

    /** {@return whether the next bytes belong to a frame that was too large} */
    boolean isSkipping() {
        return cutter.isSkipping();
    }

    private void onFrame(IOBuf received) {
        StreamMeta meta = cutter.meta();
        SocketStream stream = table.find(meta.streamId());
        if (stream == null) {
            cutter.skip(received);
            refuseUnknown(meta);
        } else if (stream.isAwaitingResponse() && meta.frameType() == StreamMeta.DATA) {
            try (IOBuf response = pool().buffer()) {
                cutter.cutData(received, response);
                wire.onResponse(response);
            }
        } else {
            stream.onFrame(cutter, received);
        }
    }

    /** A peer that does not know yet that a stream has ended must not be told of its feedback. */
    private void refuseUnknown(StreamMeta meta) {
        if (meta.hasSource() && meta.frameType() != StreamMeta.FEEDBACK) {
            reset(meta.sourceStreamId());
        }
    }

    /** Tells the peer that one of its streams has no other end. */
    void reset(long peerStream) {
        writeControl(StreamFrame.rst(peerStream));
    }

    void write(IOBuf frame) {
        wire.writeStream(frame);
    }

    /**
     * Writes a frame without data, as {@link #writeVital} does. If there is no memory for it, the
     * connection is lost: its peer would wait for ever. Never throws.
     */
    void writeControl(StreamFrame frame) {
        try (IOBuf buffer = pool().buffer()) {
            frame.appendTo(0, buffer);
            writeVital(buffer);
        } catch (RuntimeException | OutOfMemoryError e) {
            connection()
                    .abort(
                            new TransportException(
                                    TransportError.ERDMAMEM, "no memory for a stream's frame", e));
        }
    }

    /**
     * Writes frames without which a stream would stand still or end wrongly: also if too much is
     * unwritten. A peer that reads nothing even then loses its connection. Never throws.
     *
     * @param frames short; is emptied
     */
    void writeVital(IOBuf frames) {
        try {
            wire.writeStream(frames);
        } catch (TransportException e) {
            if (e.error() == TransportError.EOVERCROWDED) {
                writeBeyondLimit(frames);
            }
        } finally {
            frames.clear();
        }
    }

    private void writeBeyondLimit(IOBuf frames) {
        try {
            connection().writeBeyondLimit(frames);
        } catch (TransportException e) {
            if (e.error() == TransportError.EOVERCROWDED) {
                connection().abort(e);
            }
        }
    }

    /**
     * {@return whether the connection has too much unwritten}
     *
     * @param watcher told, if so, when it has less
     */
    boolean isCrowded(StreamWatcher watcher) {
        if (connection().unwrittenBytes() < MOST_UNWRITTEN) {
            return false;
        }
        awaitRoom(watcher);
        return true;
    }

    /** Has a stream told, once, when less is unwritten. */
    void awaitRoom(StreamWatcher watcher) {
        crowd.add(watcher);
        planCrowd();
    }

    private void planCrowd() {
        if (!isCrowdPlanned.compareAndSet(false, true)) {
            return;
        }
        try {
            later(this::onCrowdTimer);
        } catch (Throwable e) {
            // whoever has come meanwhile relies on it: the next who comes plans it again
            isCrowdPlanned.set(false);
            throw e;
        }
    }

    private void onCrowdTimer() {
        isCrowdPlanned.set(false);
        if (end == null && connection().unwrittenBytes() >= MOST_UNWRITTEN) {
            try {
                planCrowd();
                return;
            } catch (Throwable e) {
                // those that wait try again, and have it planned again
                Faults.warn(ConnectionStreams.class, "nothing can be planned", connection(), e);
            }
        }
        wakeCrowd();
    }

    private void wakeCrowd() {
        // a snapshot: those that have to wait again at once are not told again at once
        for (StreamWatcher watcher : crowd.toArray(new StreamWatcher[0])) {
            if (crowd.remove(watcher)) {
                wake(watcher);
            }
        }
    }

    private void wake(StreamWatcher watcher) {
        try {
            watcher.onWritable();
        } catch (Throwable e) {
            Faults.warn(ConnectionStreams.class, "a stream cannot be woken", connection(), e);
        }
    }

    /** Does something in a moment. */
    void later(Runnable action) {
        var _ = context.timer().schedule(MOMENT_NS, action);
    }

    /**
     * {@return whether there is memory for a message}
     *
     * @param cost of the message
     * @param ofStream what its stream needs, including that
     */
    boolean tryKeep(long cost, long ofStream) {
        long largest = context.maxBodyBytes() + ENTRY_BYTES;
        if (ofStream > Math.max(largest, context.maxStreamUnreadBytes())) {
            return false;
        }
        if (unread.addAndGet(cost) > MOST_UNREAD_MESSAGES * largest) {
            unread.addAndGet(-cost);
            return false;
        }
        return true;
    }

    /** Messages were read, or dropped. */
    void dropped(long cost) {
        unread.addAndGet(-cost);
    }

    void produced(long bytes) {
        if (isShared()) {
            unconsumed.addAndGet(bytes);
        }
    }

    /**
     * A peer has consumed data: adapts the window of its stream as brpc does. Something was sent,
     * so there may be room for streams that would otherwise wait for the timer.
     */
    void consumed(long bytes, StreamWindow window) {
        if (!crowd.isEmpty() && connection().unwrittenBytes() < MOST_UNWRITTEN) {
            wakeCrowd();
        }
        if (isShared()) {
            if (unconsumed.addAndGet(-bytes) > context.maxUnconsumedBytes()) {
                window.shrink();
            } else {
                window.growIfFull();
            }
        }
    }

    void forget(SocketStream stream, long stillUnconsumed) {
        table.remove(stream);
        if (isShared()) {
            unconsumed.addAndGet(-stillUnconsumed);
        }
    }

    /** The connection has ended: all its streams have failed. The connection's thread. */
    void onClose(TransportException reason) {
        end = reason;
        for (SocketStream stream : table.all()) {
            try {
                stream.onConnectionEnd(reason);
            } catch (Throwable e) {
                Faults.warn(ConnectionStreams.class, "the end of a stream failed", stream, e);
            }
        }
    }
}
