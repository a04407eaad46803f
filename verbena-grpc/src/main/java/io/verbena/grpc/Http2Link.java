// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/2 on a connection: Netty's codec in a channel of its own, between the transport's bytes and
 * the streams.
 *
 * <p>Threads: the codec belongs to one thread at a time, the holder of the {@link LinkTurn}. Any
 * thread brings tasks with {@link #execute}; the connection's thread brings the bytes that arrived.
 * What the tasks of a turn write leaves as one message at its end.
 */
final class Http2Link {
    private static final Logger LOG = LoggerFactory.getLogger(Http2Link.class);

    /** Buffers live for a moment: arrays are cheaper than any pool, and cannot leak. */
    private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false);

    /** What is passed to the codec at once. */
    private static final int MAX_CHUNK = 64 << 10;

    private final Connection transport;
    private final BlockPool pool;
    private final LinkTurn turn = new LinkTurn(this::endTurn);
    private final FrameOutbox outbox;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LinkHandler handler;
    private final ChannelHandlerContext context;
    private final List<Runnable> afterWrite = new ArrayList<>();

    /** Whether the connection is being closed, or has ended: nothing is read or written. */
    private boolean isOver;

    /**
     * A link.
     *
     * @param transport the connection
     * @param pool provides the memory of what is written
     * @param isServer whether this side is the server
     * @param limits how much the peer may send
     * @param events told of frames and streams, by the holder of the turn
     */
    Http2Link(
            Connection transport,
            BlockPool pool,
            boolean isServer,
            CodecLimits limits,
            Http2EventAdapter events) {
        this.transport = transport;
        this.pool = pool;
        this.outbox = new FrameOutbox(pool.buffer());
        this.handler = LinkHandler.create(isServer, limits, events);
        channel.config().setAllocator(HEAP);
        channel.pipeline().addLast(outbox, handler);
        this.context = channel.pipeline().context(handler);
        execute(() -> openWindow(limits));
    }

    private void openWindow(CodecLimits limits) {
        Http2Stream all = handler.connection().connectionStream();
        int more =
                limits.connectionWindow()
                        - handler.decoder().flowController().initialWindowSize(all);
        try {
            handler.decoder().flowController().incrementWindowSize(all, more);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    /** {@return the codec's context} The holder of the turn, as for all getters. */
    ChannelHandlerContext context() {
        return context;
    }

    Http2Connection connection() {
        return handler.connection();
    }

    Http2ConnectionEncoder encoder() {
        return handler.encoder();
    }

    LinkHandler handler() {
        return handler;
    }

    Connection transport() {
        return transport;
    }

    boolean isOver() {
        return isOver;
    }

    /** Has the peer send so many bytes more on a stream. In the turn. */
    void credit(Http2Stream stream, int bytes) {
        try {
            var _ = handler.decoder().flowController().consumeBytes(stream, bytes);
        } catch (Http2Exception e) {
            handler.onError(context, false, e);
        }
    }

    /**
     * {@return whether there is room for another message} What this turn has written so far is sent
     * if that could make room. In the turn.
     */
    boolean hasRoom(WaitingBytes waiting) {
        if (!waiting.hasRoom()) {
            write();
        }
        return waiting.hasRoom();
    }

    /** Runs a task in the turn, now or a moment later. Any thread. */
    void execute(Runnable task) {
        turn.run(() -> runGuarded(task));
    }

    /** Runs when everything that this turn writes was passed to the connection. In the turn. */
    void afterWrite(Runnable task) {
        afterWrite.add(task);
    }

    /**
     * Takes all bytes that have arrived. The connection's thread.
     *
     * @param received is emptied
     */
    void read(IOBuf received) {
        IOBuf arrived = pool.buffer();
        received.cutInto(arrived, received.size());
        execute(() -> readNow(arrived));
    }

    private void readNow(IOBuf arrived) {
        try (arrived) {
            while (!isOver && !outbox.isClosing() && !arrived.isEmpty()) {
                byte[] chunk = new byte[(int) Math.min(arrived.size(), MAX_CHUNK)];
                arrived.copyTo(0, chunk, 0, chunk.length);
                arrived.popFront(chunk.length);
                channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(chunk));
            }
        }
        if (!isOver) {
            channel.pipeline().fireChannelReadComplete();
        }
    }

    /** A task that fails has left the codec in a state that nobody knows. */
    private void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            cut("HTTP/2 failed", e);
        }
    }

    private void endTurn() {
        runGuarded(this::write);
        // even then: a server waits for these
        for (int i = 0; i < afterWrite.size(); i++) {
            runGuarded(afterWrite.get(i));
        }
        afterWrite.clear();
    }

    private void write() {
        if (isOver) {
            outbox.bytes().clear();
            return;
        }
        handler.flush(context);
        if (!outbox.bytes().isEmpty()) {
            try {
                transport.write(outbox.bytes());
            } catch (TransportException e) {
                LOG.debug("nothing can be written to {}", transport, e);
                isOver = true;
                outbox.bytes().clear();
                transport.abort(e);
                return;
            }
        }
        if (outbox.isClosing()) {
            isOver = true;
            transport.close();
        }
    }

    private void cut(String what, Throwable fault) {
        isOver = true;
        outbox.bytes().clear();
        Faults.warn(Http2Link.class, what, transport, fault);
        transport.abort(
                new TransportException(
                        TransportError.EINTERNAL, Faults.describe(what, fault), fault));
    }

    /**
     * Says that no more streams should come; those that exist go on. The last stream is left open,
     * RFC 9113, 6.8: what is on its way to this side is answered, not ignored. Any thread.
     */
    void goAway() {
        execute(
                () -> {
                    if (!isOver && !connection().goAwaySent()) {
                        var _ =
                                handler.goAway(
                                        context,
                                        Integer.MAX_VALUE,
                                        Http2Error.NO_ERROR.code(),
                                        Unpooled.EMPTY_BUFFER,
                                        context.newPromise());
                    }
                });
    }

    /** The connection has ended: ends all streams. The connection's thread. */
    void onClose() {
        execute(
                () -> {
                    isOver = true;
                    channel.pipeline().fireChannelInactive();
                });
    }
}
