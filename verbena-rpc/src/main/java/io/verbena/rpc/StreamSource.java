// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import io.verbena.rpc.spi.MessageSource;
import java.util.function.Supplier;

/** Protobuf messages that arrive on a brpc stream, one in each stream message. */
final class StreamSource implements MessageSource {
    /** Supplies the stream, or null while there is none. */
    private final Supplier<SocketStream> stream;

    private final Runnable dropping;
    private final RpcError broken;
    private final IOBuf message;
    private volatile boolean isDropped;

    /**
     * Messages of a stream.
     *
     * @param pool provides memory
     * @param stream supplies the stream, or null while there is none
     * @param dropping drops what has arrived and will arrive, also if there is no stream yet
     * @param broken the failure if a message cannot be decoded
     */
    StreamSource(
            BlockPool pool, Supplier<SocketStream> stream, Runnable dropping, RpcError broken) {
        this.stream = stream;
        this.dropping = dropping;
        this.broken = broken;
        this.message = pool.buffer();
    }

    @Override
    @SuppressWarnings("unchecked") // a parser creates the class of its prototype
    public <M extends Message> M poll(M prototype) {
        SocketStream bound = stream.get();
        if (bound == null || isDropped) {
            return null;
        }
        int size = bound.poll(message);
        if (size < 0) {
            bound.consumed(0);
            return null;
        }
        try {
            return (M) ProtobufCodec.parse(message, prototype.getParserForType());
        } catch (InvalidProtocolBufferException e) {
            throw new RpcException(broken, "a message cannot be parsed: " + e.getMessage());
        } finally {
            message.clear();
            bound.consumed(size);
        }
    }

    @Override
    public boolean isEnded() {
        SocketStream bound = stream.get();
        return bound != null && bound.isEnded();
    }

    @Override
    public void close() {
        isDropped = true;
        dropping.run();
    }
}
