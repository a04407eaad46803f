// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import io.verbena.rpc.spi.MessageSink;
import java.util.function.Supplier;

/** Protobuf messages that leave on a brpc stream, one in each stream message. */
final class StreamSink implements MessageSink {
    /** Supplies the stream, or null while there is none. */
    private final Supplier<SocketStream> stream;

    private final Runnable closing;
    private final IOBuf encoded;

    /**
     * Messages of a stream.
     *
     * @param pool provides memory
     * @param stream supplies the stream, or null while there is none
     * @param closing closes it, also if there is none yet
     */
    StreamSink(BlockPool pool, Supplier<SocketStream> stream, Runnable closing) {
        this.stream = stream;
        this.closing = closing;
        this.encoded = pool.buffer();
    }

    @Override
    public boolean tryWrite(Message message) {
        SocketStream bound = stream.get();
        if (bound == null || !bound.isWritable()) {
            return false;
        }
        try {
            ProtobufCodec.append(message, encoded);
            return bound.tryWrite(encoded);
        } catch (RpcException e) {
            if (bound.isEnded()) {
                return false; // the call is over, or about to be: its outcome says why
            }
            throw e;
        } finally {
            encoded.clear();
        }
    }

    @Override
    public void close() {
        closing.run();
    }
}
