// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.StreamCutter;
import io.verbena.rpc.wire.StreamFrame;
import io.verbena.rpc.wire.StreamSettings;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a stream sends: messages, cut into frames, as far as the window allows. The peer knows the
 * stream when the response of the call that opens it has been sent, or has arrived. What is written
 * before that waits here, and so does the end of the stream if this side closes it early.
 *
 * <p>Threads: any.
 */
final class StreamOutput {
    /** Linux's EBADF: brpc's error for writing to a peer without a handler. */
    static final int EBADF = 9;

    private static final int COPIED_MAX = StreamCutter.COPIED_MAX;

    /** How much a service may write before its response. */
    private static final int EARLY_MAX = 1 << 16;

    private final ConnectionStreams host;
    private final long id;
    private final StreamWindow window;
    private final StreamWatcher watcher;
    private final ReentrantLock lock = new ReentrantLock();
    private final IOBuf out;
    private final byte[] copied = new byte[COPIED_MAX];
    private StreamFrame lastFrame;
    private StreamFrame segmentFrame;
    private volatile long remoteId;
    private volatile boolean isRemoteKnown;
    private volatile boolean isRemoteReading;
    private volatile boolean isConnected;

    /** Whether this side closed it before it was connected. Guarded by the lock. */
    private boolean isClosePending;

    /**
     * Whether it ended before it was connected, and the peer is to be told. Guarded by the lock.
     */
    private boolean isEndUntold;

    private volatile boolean isEnded;

    /** Why it failed; null if it did not. Written before {@code isEnded}. */
    private volatile RpcException failure;

    StreamOutput(ConnectionStreams host, long id, StreamWindow window, StreamWatcher watcher) {
        this.host = host;
        this.id = id;
        this.window = window;
        this.watcher = watcher;
        this.out = host.pool().buffer();
    }

    /** {@return the peer's id of the stream, once it is known} */
    long remoteId() {
        return remoteId;
    }

    boolean isRemoteKnown() {
        return isRemoteKnown;
    }

    boolean isConnected() {
        return isConnected;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** {@return why it failed, or null if it did not} */
    RpcException failure() {
        return failure;
    }

    /** The peer's side is known. On a server, nothing is sent before {@link #tryConnect}. */
    void pair(long peerId, StreamSettings peer) {
        lock.lock();
        try {
            remoteId = peerId;
            isRemoteReading = peer.isWritable();
            lastFrame = StreamFrame.data(peerId, id, false);
            segmentFrame = StreamFrame.data(peerId, id, true);
            isRemoteKnown = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The peer knows the stream: sends what was written so far, or that it has already ended.
     *
     * @return false if this side has closed the stream meanwhile, so that it has to end now
     * @throws TransportException if what was written cannot be sent
     */
    boolean tryConnect() {
        lock.lock();
        try {
            isConnected = true;
            if (!out.isEmpty()) {
                host.write(out);
            }
            if (isEndUntold) {
                tellEnd();
            }
            return !isClosePending;
        } finally {
            out.clear();
            lock.unlock();
        }
    }

    /**
     * {@return whether a message was written; false if there is no room}
     *
     * @param message is emptied if this returns true, and unchanged otherwise
     * @throws RpcException if the stream has ended, or the peer does not read
     */
    boolean tryWrite(IOBuf message) {
        lock.lock();
        try {
            checkWritable();
            if (!isRemoteKnown || !window.isOpen()) {
                return false;
            }
            if (isConnected) {
                return !host.isCrowded(watcher) && tryPassOn(message);
            }
            if (out.size() >= EARLY_MAX) {
                return false;
            }
            window.produce(message.size());
            appendFrames(message);
            message.clear();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean tryPassOn(IOBuf message) {
        try {
            passOn(message);
            return true;
        } catch (TransportException e) {
            if (e.error() == TransportError.EOVERCROWDED) {
                host.awaitRoom(watcher);
                return false;
            }
            throw new RpcException(e.code(), e.detail());
        }
    }

    /**
     * Writes the last message of a connected stream, although there is little room.
     *
     * @param message is emptied
     * @throws RpcException if the stream has ended, or the connection accepts no more
     */
    void writeLast(IOBuf message) {
        lock.lock();
        try {
            checkWritable();
            passOn(message);
        } catch (TransportException e) {
            throw new RpcException(e.code(), e.detail());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes the last message of a connected stream, which is short and must not be lost. Does
     * nothing if the stream has ended.
     *
     * @param message is emptied
     */
    void writeVital(IOBuf message) {
        lock.lock();
        try {
            if (!isEnded) {
                appendFrames(message);
                host.writeVital(out);
            }
            message.clear();
        } finally {
            out.clear();
            lock.unlock();
        }
    }

    private void passOn(IOBuf message) {
        long size = message.size();
        boolean isDone = false;
        // before the write: the peer may have consumed it when that returns
        window.produce(size);
        try {
            appendFrames(message);
            host.write(out);
            isDone = true;
            host.produced(size);
            message.clear();
        } finally {
            if (!isDone) {
                out.clear();
                window.takeBack(size);
            }
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
        if (isEnded || isClosePending) {
            RpcException reason = failure;
            throw reason == null
                    ? new RpcException(RpcError.EEOF, "the stream is closed")
                    : new RpcException(reason.code(), reason.text());
        }
        if (isRemoteKnown && !isRemoteReading) {
            throw new RpcException(EBADF, "the peer does not read stream " + remoteId);
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

    /** {@return whether the peer does not know the stream yet, so that it ends once it does} */
    boolean tryPostponeClose() {
        lock.lock();
        try {
            if (isConnected || isEnded) {
                return false;
            }
            isClosePending = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is written from now on. Called once. */
    void end(Optional<RpcException> reason, boolean isPeerTold) {
        lock.lock();
        try {
            failure = reason.orElse(null);
            isEnded = true;
            out.clear();
            if (isPeerTold && isConnected) {
                tellEnd();
            } else {
                isEndUntold = isPeerTold;
            }
        } finally {
            lock.unlock();
        }
    }

    private void tellEnd() {
        host.writeControl(StreamFrame.close(remoteId, id));
    }
}
