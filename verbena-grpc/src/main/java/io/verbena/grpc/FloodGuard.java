// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts the frames that cost their sender nothing: settings, pings, priorities, and frames of
 * unknown types. Too many of them in a short time end the connection. Resets and empty data have
 * guards in Netty's decoder.
 */
final class FloodGuard extends Http2FrameListenerDecorator {
    private final CodecLimits limits;
    private final LongSupplier clock;
    private long windowStartNs;
    private int frames;

    FloodGuard(Http2FrameListener listener, CodecLimits limits, LongSupplier clock) {
        super(listener);
        this.limits = limits;
        this.clock = clock;
        this.windowStartNs = clock.getAsLong();
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings)
            throws Http2Exception {
        count();
        super.onSettingsRead(context, settings);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext context) throws Http2Exception {
        count();
        super.onSettingsAckRead(context);
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        count();
        super.onPingRead(context, data);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
        count();
        super.onPingAckRead(context, data);
    }

    @Override
    public void onPriorityRead(
            ChannelHandlerContext context,
            int streamId,
            int dependency,
            short weight,
            boolean isExclusive)
            throws Http2Exception {
        count();
        super.onPriorityRead(context, streamId, dependency, weight, isExclusive);
    }

    @Override
    public void onUnknownFrame(
            ChannelHandlerContext context,
            byte type,
            int streamId,
            Http2Flags flags,
            ByteBuf payload)
            throws Http2Exception {
        count();
        super.onUnknownFrame(context, type, streamId, flags, payload);
    }

    private void count() throws Http2Exception {
        long now = clock.getAsLong();
        if (now - windowStartNs > TimeUnit.SECONDS.toNanos(limits.windowSeconds())) {
            windowStartNs = now;
            frames = 0;
        }
        if (++frames > limits.maxControlFrames()) {
            throw Http2Exception.connectionError(
                    Http2Error.ENHANCE_YOUR_CALM,
                    "control frames: more than %d in %d s",
                    limits.maxControlFrames(),
                    limits.windowSeconds());
        }
    }
}
