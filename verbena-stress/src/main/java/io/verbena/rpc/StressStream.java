// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.StreamCutter;
import io.verbena.rpc.wire.StreamFrame;
import io.verbena.rpc.wire.StreamSettings;
import io.verbena.transport.Connection;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stream that a server accepted, the frames that arrive on it, and how many it sends. It sends
 * nothing before it is connected.
 */
final class StressStream implements ConnectionStreams.Wire {
    /** How long the message is that arrives. */
    static final int LENGTH = 4;

    private static final BlockPool POOL = BlockPool.unregistered(BlockPoolOptions.DEFAULT);
    private static final StreamContext CONTEXT =
            new StreamContext(POOL, new RpcFlags(), new StreamTimer());
    private static final long PEER = 7;

    private final CallByteStream bytes =
            new CallByteStream(POOL, CONTEXT.timer(), ByteStreamOptions.DEFAULT);
    private final StreamCutter cutter = new StreamCutter();
    private final IOBuf received = POOL.buffer();
    private final SocketStream stream;
    private final AtomicInteger sent = new AtomicInteger();

    StressStream() {
        stream = new ConnectionStreams(this, CONTEXT).accept(ByteStreamOptions.DEFAULT, bytes);
        bytes.accepted(stream);
    }

    /** A message arrives. The connection's thread. */
    void onMessage() {
        StreamFrame.data(stream.id(), PEER, false).appendTo(LENGTH, received);
        received.append(new byte[LENGTH]);
        onFrame();
    }

    /** The peer closes the stream. The connection's thread. */
    void onClose() {
        StreamFrame.close(stream.id(), PEER).appendTo(0, received);
        onFrame();
    }

    /** What the request says of the peer's side. */
    void pair() {
        stream.pair(PEER, new StreamSettings(new long[] {PEER}, false, true));
    }

    /** The response was sent. The thread that sent it. */
    void connect() {
        stream.connect();
    }

    /** The handler has failed. Its thread. */
    void fail() {
        stream.fail(RpcError.EINTERNAL.code(), "the handler failed");
    }

    /** {@return how many frames were sent} */
    int sent() {
        return sent.get();
    }

    private void onFrame() {
        cutter.next(received, CONTEXT.maxBodyBytes());
        stream.onFrame(cutter, received);
    }

    /** {@return the length of the next message, or -1 at the end} Waits. */
    int read() {
        try (IOBuf target = POOL.buffer()) {
            return bytes.read(target) ? (int) target.size() : -1;
        }
    }

    /** The reader closes the stream. */
    void close() {
        bytes.close();
    }

    /** {@return whether nothing that arrived is kept} Closes the stream. */
    boolean isEmptyAfterClose() {
        bytes.close();
        received.close();
        try (IOBuf target = POOL.buffer()) {
            return stream.poll(target) < 0;
        }
    }

    @Override
    public void writeStream(IOBuf frame) {
        if (!stream.isPaired()) {
            throw new AssertionError("nothing is sent before the response");
        }
        sent.incrementAndGet();
        frame.clear();
    }

    @Override
    public void onResponse(IOBuf response) {
        throw new AssertionError("a server gets no response");
    }

    @Override
    public Connection connection() {
        throw new AssertionError("a server's reader does not poll");
    }
}
