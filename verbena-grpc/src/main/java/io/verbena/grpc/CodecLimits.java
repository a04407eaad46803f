// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.handler.codec.http2.Http2Settings;

/**
 * How much a peer may send, and how fast.
 *
 * @param maxStreams calls of a client that may be under way on a connection
 * @param streamWindow bytes of a stream that may arrive before they are read
 * @param connectionWindow bytes of all streams that may be on their way
 * @param maxHeaderBytes size of the headers of a request or an answer
 * @param maxResets streams that a client may reset in {@code windowSeconds}
 * @param maxControlFrames frames that carry neither headers nor data of a call, in {@code
 *     windowSeconds}
 * @param windowSeconds the time in which frames are counted
 */
record CodecLimits(
        int maxStreams,
        int streamWindow,
        int connectionWindow,
        int maxHeaderBytes,
        int maxResets,
        int maxControlFrames,
        int windowSeconds) {
    static final CodecLimits DEFAULT =
            new CodecLimits(1000, 256 << 10, 16 << 20, 16 << 10, 4000, 10_000, 10);

    /** {@return what a peer is told of this} */
    Http2Settings settings() {
        return Http2Settings.defaultSettings()
                .initialWindowSize(streamWindow)
                .maxHeaderListSize(maxHeaderBytes);
    }
}
