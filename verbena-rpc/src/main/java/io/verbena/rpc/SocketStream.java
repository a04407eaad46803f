// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.StreamCutter;
import io.verbena.rpc.wire.StreamFrame;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.rpc.wire.StreamSettings;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A stream of a connection: frames, windows and the inbox. Who reads it, and how, is up to its
 * {@link StreamWatcher}.
 *
 * <p>Threads: the connection's thread hands in what arrives and never waits for others; any thread
 * writes, one at a time polls.
 */
final class SocketStream {
    /** Linux's EBADF: brpc's error for writing to a peer without a handler. */
    static final int EBADF = 9;

    private static final int COPIED_MAX = StreamCutter.COPIED_MAX;

    /** How much a service may write before its response. */
    private static final int EARLY_MAX = 1 << 16;

    private final ConnectionStreams host;
    private final long id;
    private final StreamWatcher watcher;
    private final StreamWindow window;
    private final StreamInbox inbox;
    private final FeedbackPolicy feedback = new FeedbackPolicy();

    /** Bytes and entries of the inbox, as far as its memory is concerned. */
    private final AtomicLong unread = new AtomicLong();

    private final AtomicBoolean isEnding = new AtomicBoolean();

    /** Guards what is written. */
    private final ReentrantLock writing = new ReentrantLock();

    private final IOBuf out;
    private final byte[] copied = new byte[COPIED_MAX];
    private StreamFrame lastFrame;
    private StreamFrame segmentFrame;

    /** Guards the segments, which any thread drops when the stream ends. */
    private final ReentrantLock joining = new ReentrantLock();

    /** Segments of a message that is not complete. */
    private final IOBuf segments;

    /** Whether a message is not complete. The connection's thread. */
    private boolean isJoining;

    /** Whether the first message is the response of the call that opens it. */
    private volatile boolean isAwaitingResponse;

    private volatile boolean isAwaitingCall;

    private volatile long remoteId;
    private volatile boolean isRemoteKnown;
    private volatile boolean isConnected;
    private volatile boolean isFeedbackWanted;
    private volatile boolean isRemoteReading;

    /** Why it failed; null if it did not. */
    private volatile RpcException failure;

    private volatile boolean isEnded;

    SocketStream(
            ConnectionStreams host, long id, ByteStreamOptions options, StreamWatcher watcher) {
        this.host = host;
        this.id = id;
        this.watcher = watcher;
        this.window = new StreamWindow(options, host.isShared());
        this.inbox = new StreamInbox(host.pool());
        this.out = host.pool().buffer();
        this.segments = host.pool().buffer();
    }

    long id() {
        return id;
    }

    long remoteId() {
        return remoteId;
    }

    ConnectionStreams host() {
        return host;
    }

    /** {@return whether the peer has to say what it consumed} */
    boolean isFeedbackNeeded() {
        return window.isLimited();
    }

    boolean isEnded() {
        return isEnded;
    }

    /** {@return why it failed, or null if it did not} */
    RpcException failure() {
        return failure;
    }

    /**
     * A call is about to open it.
     *
     * @param isFirst whether the call's response arrives on it
     */
    void awaitCall(boolean isFirst) {
        isAwaitingCall = true;
        isAwaitingResponse = isFirst;
    }

    boolean isAwaitingResponse() {
        return isAwaitingResponse;
    }

    /** The peer's side is known. On a server, nothing is sent before {@link #connect()}. */
    void pair(long peerId, StreamSettings peer) {
        writing.lock();
        try {
            remoteId = peerId;
            isFeedbackWanted = peer.isFeedbackNeeded();
            isRemoteReading = peer.isWritable();
            lastFrame = StreamFrame.data(peerId, id, false);
            segmentFrame = StreamFrame.data(peerId, id, true);
            isRemoteKnown = true;
        } finally {
            writing.unlock();
        }
    }

    /** The response was sent, or has arrived: sends what was written so far. */
    void connect() {
        writing.lock();
        try {
            isAwaitingResponse = false;
            isAwaitingCall = false;
            isConnected = true;
            if (!out.isEmpty() && !isEnded) {
                host.write(out);
            }
        } catch (TransportException e) {
            out.clear();
            fail(e.code(), e.detail());
        } finally {
            writing.unlock();
        }
        watcher.onWritable();
        sendFeedback(feedback.unreported());
    }

    /**
     * {@return whether a message was written; false if there is no room}
     *
     * @param message is emptied if this returns true, and unchanged otherwise
     * @throws RpcException if the stream has ended, or the peer does not read
     */
    boolean tryWrite(IOBuf message) {
        writing.lock();
        try {
            checkWritable();
            if (!isRemoteKnown || !window.isOpen()) {
                return false;
            }
            long size = message.size();
            if (isConnected) {
                return !host.isCrowded(watcher) && tryPassOn(message, size);
            }
            if (out.size() >= EARLY_MAX) {
                return false;
            }
            appendFrames(message);
            window.produce(size);
            message.clear();
            return true;
        } finally {
            writing.unlock();
        }
    }

    /** {@return whether a message can be written now; if not, the watcher hears when} */
    boolean isWritable() {
        return !isEnded
                && isRemoteKnown
                && window.isOpen()
                && !(isConnected && host.isCrowded(watcher));
    }

    private void checkWritable() {
        if (isEnded) {
            RpcException reason = failure;
            throw reason == null
                    ? new RpcException(RpcError.EEOF, "the stream is closed")
                    : new RpcException(reason.code(), reason.text());
        }
        if (isRemoteKnown && !isRemoteReading) {
            throw new RpcException(EBADF, "the peer does not read stream " + remoteId);
        }
    }

    private boolean tryPassOn(IOBuf message, long size) {
        boolean isDone = false;
        window.produce(size);
        try {
            appendFrames(message);
            host.write(out);
            isDone = true;
            host.produced(size);
            message.clear();
            return true;
        } catch (TransportException e) {
            if (e.error() == TransportError.EOVERCROWDED) {
                host.later(watcher::onWritable);
                return false;
            }
            throw new RpcException(e.code(), e.detail());
        } finally {
            if (!isDone) {
                out.clear();
                window.takeBack(size);
            }
        }
    }

    private void appendFrames(IOBuf message) {
        long size = message.size();
        if (size <= COPIED_MAX) {
            message.copyTo(0, copied, 0, (int) size);
            lastFrame.appendTo(size, out);
            out.append(copied, 0, (int) size);
            return;
        }
        long most = host.maxSegmentBytes();
        if (size <= most) {
            lastFrame.appendTo(size, out);
            out.append(message);
            return;
        }
        try (IOBuf left = host.pool().buffer()) {
            left.append(message);
            while (left.size() > most) {
                segmentFrame.appendTo(most, out);
                left.cutInto(out, most);
            }
            lastFrame.appendTo(left.size(), out);
            left.cutInto(out, left.size());
        }
    }

    /** A frame has arrived, and is at the front of a buffer. The connection's thread. */
    void onFrame(StreamCutter cutter, IOBuf received) {
        StreamMeta meta = cutter.meta();
        switch (meta.frameType()) {
            case StreamMeta.DATA -> onData(cutter, received);
            case StreamMeta.FEEDBACK -> {
                cutter.skip(received);
                onFeedback(meta.consumedSize());
            }
            case StreamMeta.CLOSE -> {
                cutter.skip(received);
                end(null, false);
            }
            case StreamMeta.RST -> {
                cutter.skip(received);
                end(new RpcException(RpcError.ECONNRESET, "received RST"), false);
            }
            default -> cutter.skip(received); // of a later version
        }
    }

    private void onData(StreamCutter cutter, IOBuf received) {
        long cost = cutter.dataSize() + ConnectionStreams.ENTRY_BYTES;
        long total = unread.addAndGet(cost);
        if (!host.tryKeep(cost, total)) {
            unread.addAndGet(-cost);
            cutter.skip(received);
            refuse(RpcError.EOVERCROWDED, "more unread data than the window allows");
            return;
        }
        if (!isJoining && !cutter.meta().hasContinuation()) {
            inbox.push(cutter, received);
            watcher.onReadable();
        } else {
            onSegment(cutter, received);
        }
    }

    private void onSegment(StreamCutter cutter, IOBuf received) {
        boolean isTooLong;
        isJoining = cutter.meta().hasContinuation();
        joining.lock();
        try {
            cutter.cutData(received, segments);
            isTooLong = segments.size() > host.maxMessageBytes();
            if (isTooLong || isEnded) {
                segments.clear();
            } else if (!isJoining) {
                inbox.push(segments);
            }
        } finally {
            joining.unlock();
        }
        if (isTooLong) {
            refuse(RpcError.EREQUEST, "a message longer than max_body_size");
        } else if (!isJoining) {
            watcher.onReadable();
        }
    }

    /** Called when it has ended: no segment is added after this. */
    private void dropSegments() {
        joining.lock();
        try {
            segments.clear();
        } finally {
            joining.unlock();
        }
    }

    private void onFeedback(long consumed) {
        long more = window.tryConsume(consumed);
        if (more < 0) {
            refuse(RpcError.EPROTO, "consumed_size: " + consumed + " (expected: what was sent)");
            return;
        }
        if (more > 0) {
            host.consumed(more, window);
            if (window.tryWake()) {
                watcher.onWritable();
            }
        }
    }

    /** The peer breaks the protocol, or its data cannot be kept: only this stream ends. */
    void refuse(RpcError error, String text) {
        if (isRemoteKnown) {
            host.reset(remoteId);
        }
        end(new RpcException(error, text), false);
    }

    /**
     * {@return the size of the next message, moved behind what a buffer has; -1 if there is none}
     */
    int poll(IOBuf target) {
        int size = inbox.poll(target);
        if (size >= 0) {
            long cost = (long) size + ConnectionStreams.ENTRY_BYTES;
            unread.addAndGet(-cost);
            host.dropped(cost);
        }
        return size;
    }

    /**
     * The reader is done with messages. Call it after each, and with 0 when there are none left.
     *
     * @param bytes how many they had
     */
    void consumed(long bytes) {
        long due = feedback.consumed(bytes, System::nanoTime);
        if (due > 0) {
            sendFeedback(due);
        } else if (due < 0) {
            host.later(() -> sendFeedback(feedback.late()));
        }
    }

    private void sendFeedback(long total) {
        if (total > 0 && isFeedbackWanted && isConnected && !isEnded) {
            host.writeControl(StreamFrame.feedback(remoteId, id, total));
        }
    }

    /** Ends it, and tells the peer. Idempotent. Any thread. */
    void close() {
        end(null, true);
    }

    /** Ends it because something failed. Any thread. */
    void fail(int code, String text) {
        end(new RpcException(code, text), isConnected);
    }

    /**
     * The connection has ended. A stream that a call is still about to open ends with the call,
     * which may be tried elsewhere.
     */
    void onConnectionEnd(TransportException reason) {
        if (isAwaitingCall) {
            abandon();
        } else {
            end(new RpcException(reason.code(), reason.detail()), false);
        }
    }

    /** Forgets it without a word: its call is tried elsewhere, or reports the end itself. */
    void abandon() {
        if (isEnding.compareAndSet(false, true)) {
            isEnded = true;
            dropSegments();
            host.forget(this, 0);
        }
    }

    private void end(RpcException reason, boolean isPeerTold) {
        if (!isEnding.compareAndSet(false, true)) {
            return;
        }
        writing.lock();
        try {
            failure = reason;
            isEnded = true;
            if (isPeerTold && isConnected) {
                host.writeControl(StreamFrame.close(remoteId, id));
            }
            out.clear();
        } finally {
            writing.unlock();
        }
        dropSegments();
        host.forget(this, window.unconsumed());
        watcher.onEnded();
    }

    /** Drops what was not read. Any thread, once nobody polls any more. */
    void drop() {
        inbox.close();
        host.dropped(unread.getAndSet(0));
    }
}
