// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;

/** What the streams of a process share: memory, limits and a clock. */
record StreamContext(BlockPool pool, RpcFlags flags, StreamTimer timer) {
    long maxBodyBytes() {
        return flags.number(RpcFlag.MAX_BODY_SIZE);
    }

    long maxSegmentBytes() {
        return flags.number(RpcFlag.STREAM_WRITE_MAX_SEGMENT_SIZE);
    }

    /** {@return what peers may have unconsumed on a connection; 0 means no limit} */
    long maxUnconsumedBytes() {
        return flags.number(RpcFlag.SOCKET_MAX_STREAMS_UNCONSUMED_BYTES);
    }

    long maxStreamUnreadBytes() {
        return flags.number(RpcFlag.STREAM_MAX_UNREAD_BYTES);
    }
}
