// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.Flag;

/**
 * The RPC flags of a process, by brpc's names; those of the transport are separate. All of them can
 * be changed while it runs.
 */
public enum RpcFlag implements Flag {
    /** The largest frame body that is accepted; a larger one closes the connection. */
    MAX_BODY_SIZE(64L << 20, 1, Integer.MAX_VALUE),
    /**
     * How long a request may take to arrive after its first bytes; a second is added for each 16
     * KiB that have arrived.
     */
    REQUEST_TIMEOUT_MS(10_000, 1, 3_600_000),
    /** Seconds between two probes of an unreachable server. */
    HEALTH_CHECK_INTERVAL(3, 1, 86_400),
    /** Seconds between two look-ups of a host name. */
    NS_ACCESS_INTERVAL(5, 1, 86_400),
    /** Idle connections kept for channels with pooled connections, per server. */
    MAX_CONNECTION_POOL_SIZE(100, 0, 1 << 20),
    /** Whether requests carry the client's timeout. Unlike in brpc, they do by default. */
    BAIDU_STD_PROTOCOL_DELIVER_TIMEOUT_MS(true),
    /** Whether checksums also cover attachments, which no released brpc understands. */
    BAIDU_STD_CHECKSUM_WITH_ATTACHMENT(false),
    /** The longest segment of a stream message; a longer message becomes several frames. */
    STREAM_WRITE_MAX_SEGMENT_SIZE(512L << 20, 1, 1L << 30),
    /**
     * How many bytes the peers of a connection's streams may leave unconsumed before the streams'
     * windows shrink; 0 means no limit.
     */
    SOCKET_MAX_STREAMS_UNCONSUMED_BYTES(0, 0, Long.MAX_VALUE),
    /** How many bytes of a stream may be unread; a stream whose peer sends more is reset. */
    STREAM_MAX_UNREAD_BYTES(64L << 20, 1 << 10, 1L << 40),
    /** The initial concurrency limit of a limiter of type auto. */
    AUTO_CL_INITIAL_MAX_CONCURRENCY(40, 1, 1 << 20),
    /** The highest concurrency limit of a limiter of type timeout. */
    TIMEOUT_CL_MAX_CONCURRENCY(100, 1, 1 << 20);

    @SuppressWarnings("ImmutableEnumChecker") // a Long or a Boolean
    private final Setting setting;

    RpcFlag(long initial, long least, long most) {
        setting = new Setting(initial, least, most);
    }

    RpcFlag(boolean initial) {
        setting = new Setting(initial);
    }

    @Override
    public Setting setting() {
        return setting;
    }
}
