// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.StreamCutter;
import io.verbena.rpc.wire.StreamFrame;
import io.verbena.rpc.wire.StreamMeta;
import io.verbena.rpc.wire.StreamSettings;
import io.verbena.transport.TransportException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A stream of a connection: what it sends, what has arrived, and its end. Who reads it, and how, is
 * up to its {@link StreamWatcher}.
 *
 * <p>Threads: the connection's thread hands in what arrives and never waits for others; any thread
 * writes, one at a time polls.
 */
final class SocketStream {
    private final ConnectionStreams host;
    private final long id;
    private final StreamWatcher watcher;
    private final StreamWindow window;
    private final StreamOutput output;
    private final StreamInbox inbox;
    private final FeedbackPolicy feedback = new FeedbackPolicy();
    private final AtomicBoolean isEnding = new AtomicBoolean();

    /** Whether the call that opens it is not answered: it may be tried again elsewhere. */
    private volatile boolean isAwaitingCall;

    /** Whether the first message is the response of that call. */
    private volatile boolean isAwaitingResponse;

    private volatile boolean isFeedbackWanted;

    /**
     * A stream that the peer does not know.
     *
     * @param host its connection
     * @param id its id
     * @param options its window
     * @param watcher hears of changes
     * @param isAwaitingCall whether a call of this side opens it
     */
    SocketStream(
            ConnectionStreams host,
            long id,
            ByteStreamOptions options,
            StreamWatcher watcher,
            boolean isAwaitingCall) {
        this.host = host;
        this.id = id;
        this.watcher = watcher;
        this.isAwaitingCall = isAwaitingCall;
        this.window = new StreamWindow(options, host.isShared());
        this.output = new StreamOutput(host, id, window, watcher);
        this.inbox = new StreamInbox(host);
    }

    long id() {
        return id;
    }

    long remoteId() {
        return output.remoteId();
    }

    /** {@return whether the peer's id is known, which may be any number, also 0} */
    boolean isPaired() {
        return output.isRemoteKnown();
    }

    ConnectionStreams host() {
        return host;
    }

    /** {@return whether the peer has to say what it consumed} */
    boolean isFeedbackNeeded() {
        return window.isLimited();
    }

    boolean isEnded() {
        return output.isEnded();
    }

    /** {@return why it failed, or null if it did not} */
    RpcException failure() {
        return output.failure();
    }

    /** The response of the call that opens it will arrive on it. */
    void awaitResponse() {
        isAwaitingResponse = true;
    }

    boolean isAwaitingResponse() {
        return isAwaitingResponse;
    }

    /** The peer's side is known. On a server, nothing is sent before {@link #connect()}. */
    void pair(long peerId, StreamSettings peer) {
        isFeedbackWanted = peer.isFeedbackNeeded();
        output.pair(peerId, peer);
    }

    /** The response was sent, or has arrived: sends what was written so far. */
    void connect() {
        isAwaitingResponse = false;
        isAwaitingCall = false;
        try {
            if (!output.tryConnect()) {
                close();
                return;
            }
        } catch (TransportException e) {
            fail(e.code(), e.detail());
            return;
        }
        watcher.onWritable();
        // what was consumed before this could not be said
        sendFeedback(feedback.total());
    }

    /**
     * {@return whether a message was written; false if there is no room}
     *
     * @param message is emptied if this returns true, and unchanged otherwise
     * @throws RpcException if the stream has ended, or the peer does not read
     */
    boolean tryWrite(IOBuf message) {
        return output.tryWrite(message);
    }

    /** Writes the last message, as {@link StreamOutput#writeLast} says. */
    void writeLast(IOBuf message) {
        output.writeLast(message);
    }

    /** Writes a message that must not be lost, as {@link StreamOutput#writeVital} says. */
    void writeVital(IOBuf message) {
        output.writeVital(message);
    }

    /** {@return whether a message can be written now; if not, the watcher hears when} */
    boolean isWritable() {
        return output.isWritable();
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
                end(Optional.empty(), false);
            }
            case StreamMeta.RST -> {
                cutter.skip(received);
                onReset();
            }
            default -> cutter.skip(received); // of a later version
        }
    }

    private void onReset() {
        if (isEnding.compareAndSet(false, true)) {
            RpcException failure = new RpcException(RpcError.ECONNRESET, "received RST");
            forget(Optional.of(failure), false);
            watcher.onReset(failure);
        }
    }

    private void onData(StreamCutter cutter, IOBuf received) {
        switch (inbox.push(cutter, received)) {
            case MESSAGE -> watcher.onReadable();
            case SEGMENT -> {}
            // nobody will read it, but the peer may go on
            case DROPPED -> consumed(cutter.dataSize());
            case NO_ROOM ->
                    refuse(RpcError.EOVERCROWDED, "more unread data than the window allows");
            case TOO_LONG -> refuse(RpcError.EREQUEST, "a message longer than max_body_size");
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
        if (output.isRemoteKnown()) {
            host.reset(remoteId());
        }
        end(Optional.of(new RpcException(error, text)), false);
    }

    /**
     * {@return the size of the next message, moved behind what a buffer has; -1 if there is none}
     */
    int poll(IOBuf target) {
        return inbox.poll(target);
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
        if (total > 0 && isFeedbackWanted && output.isConnected() && !isEnded()) {
            host.writeControl(StreamFrame.feedback(remoteId(), id, total));
        }
    }

    /** Ends it, and tells the peer as soon as that knows it. Idempotent. Any thread. */
    void close() {
        if (!output.tryPostponeClose()) {
            end(Optional.empty(), true);
        }
    }

    /** Ends it because something failed. Any thread. */
    void fail(int code, String text) {
        end(Optional.of(new RpcException(code, text)), true);
    }

    /**
     * The connection has ended. A stream that a call is still about to open ends with the call,
     * which may be tried elsewhere.
     */
    void onConnectionEnd(TransportException reason) {
        if (isAwaitingCall) {
            abandon();
        } else {
            end(Optional.of(new RpcException(reason.code(), reason.detail())), false);
        }
    }

    /** Forgets it without a word: its call is tried elsewhere, or reports the end itself. */
    void abandon() {
        if (isEnding.compareAndSet(false, true)) {
            forget(Optional.empty(), false);
        }
    }

    private void end(Optional<RpcException> reason, boolean isPeerTold) {
        if (isEnding.compareAndSet(false, true)) {
            forget(reason, isPeerTold);
            watcher.onEnded(reason);
        }
    }

    private void forget(Optional<RpcException> reason, boolean isPeerTold) {
        inbox.endInput();
        output.end(reason, isPeerTold);
        host.forget(this, window.end());
    }

    /** Drops what was not read, and what will arrive. Any thread. */
    void drop() {
        long bytes = inbox.close();
        if (bytes > 0) {
            consumed(bytes);
        }
    }
}
