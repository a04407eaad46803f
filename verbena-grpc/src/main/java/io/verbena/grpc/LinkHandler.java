// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.AbstractHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Netty's codec of HTTP/2. A connection on which something is wrong ends with GOAWAY. */
final class LinkHandler extends Http2ConnectionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(LinkHandler.class);
    private static final float WINDOW_UPDATE_RATIO = 0.5f;

    private LinkHandler(
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings) {
        super(decoder, encoder, settings);
    }

    /** {@return a codec} */
    static LinkHandler create(boolean isServer, CodecLimits limits, Http2EventAdapter events) {
        Http2Connection connection = new DefaultHttp2Connection(isServer);
        // The window of the connection is refilled at once: a stream that nobody reads stops its
        // own writer, and no other.
        connection
                .local()
                .flowController(
                        new DefaultHttp2LocalFlowController(connection, WINDOW_UPDATE_RATIO, true));
        connection.addListener(events);
        Http2Settings settings = limits.settings();
        if (isServer) {
            settings.maxConcurrentStreams(limits.maxStreams());
        } else {
            settings.pushEnabled(false);
        }
        return new Builder(connection, limits, settings, events).build();
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext context,
            boolean isOutbound,
            Throwable cause,
            Http2Exception reason) {
        Http2Error error = reason == null ? Http2Error.INTERNAL_ERROR : reason.error();
        if (error == Http2Error.INTERNAL_ERROR) {
            LOG.warn("HTTP/2 failed", cause);
        } else {
            LOG.debug("closing the connection", cause);
        }
        String text = String.valueOf(cause.getMessage());
        var _ =
                goAway(
                        context,
                        connection().remote().lastStreamCreated(),
                        error.code(),
                        ByteBufUtil.writeUtf8(context.alloc(), text),
                        context.newPromise());
        var _ = context.close();
    }

    private static final class Builder
            extends AbstractHttp2ConnectionHandlerBuilder<LinkHandler, Builder> {
        Builder(
                Http2Connection connection,
                CodecLimits limits,
                Http2Settings settings,
                Http2EventAdapter events) {
            connection(connection);
            initialSettings(settings);
            frameListener(new FloodGuard(events, limits, System::nanoTime));
            decoderEnforceMaxRstFramesPerWindow(limits.maxResets(), limits.windowSeconds());
            encoderEnforceMaxRstFramesPerWindow(0, 0);
            if (!connection.isServer()) {
                encoderEnforceMaxConcurrentStreams(true);
            }
        }

        @Override
        protected LinkHandler build() {
            return super.build();
        }

        @Override
        protected LinkHandler build(
                Http2ConnectionDecoder decoder,
                Http2ConnectionEncoder encoder,
                Http2Settings settings) {
            return new LinkHandler(decoder, encoder, settings);
        }
    }
}
