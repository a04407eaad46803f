// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.verbena.memory.IOBuf;
import java.nio.ByteBuffer;

/**
 * Where the codec's frames end: they are collected, and the {@link Http2Link} writes them together.
 * Belongs to the holder of the link's turn.
 */
final class FrameOutbox extends ChannelOutboundHandlerAdapter {
    private final IOBuf bytes;
    private boolean isClosing;

    FrameOutbox(IOBuf bytes) {
        this.bytes = bytes;
    }

    /** {@return what was written and not yet taken} */
    IOBuf bytes() {
        return bytes;
    }

    /** {@return whether the codec wants the connection to be closed after these bytes} */
    boolean isClosing() {
        return isClosing;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ByteBuf frame = (ByteBuf) message;
        try {
            append(frame);
            promise.trySuccess();
        } finally {
            frame.release();
        }
    }

    private void append(ByteBuf frame) {
        if (frame.hasArray()) {
            bytes.append(
                    frame.array(),
                    frame.arrayOffset() + frame.readerIndex(),
                    frame.readableBytes());
            return;
        }
        for (ByteBuffer part : frame.nioBuffers()) {
            bytes.append(part);
        }
    }

    /** The link writes when its turn ends. */
    @Override
    public void flush(ChannelHandlerContext context) {}

    /** Bytes come when they come. */
    @Override
    public void read(ChannelHandlerContext context) {}

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        isClosing = true;
        promise.trySuccess();
    }
}
