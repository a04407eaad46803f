// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/**
 * The settings of the transport, with brpc's names where brpc has them.
 *
 * <p>A value outside its limits is refused; brpc silently clamps it, or uses the default instead.
 */
public enum TransportFlag implements Flag {
    /** Depth of a send queue. */
    RDMA_SQ_SIZE(128, 16, 4096),
    /** Depth of a receive queue, and the number of receive blocks that each connection holds. */
    RDMA_RQ_SIZE(128, 16, 4096),
    /** Whether received blocks are handed up without copying. */
    RDMA_RECV_ZEROCOPY(true),
    /** Messages with fewer bytes are copied even then. */
    RDMA_ZEROCOPY_MIN_SIZE(512, 0, Integer.MAX_VALUE),
    /** Completions taken per poll. */
    RDMA_CQE_POLL_ONCE(32, 1, 4096),
    /** Depth of the queues of prepared queue pairs. */
    RDMA_PREPARED_QP_SIZE(128, 16, 4096),
    /**
     * Queue pairs made before they are needed, half of them for each side. Smaller than brpc's
     * 1024: most processes never have that many connections, and each queue pair costs device
     * memory.
     */
    RDMA_PREPARED_QP_CNT(8, 0, 65536),
    /** Whether each step of a handshake is logged, as a warning. */
    RDMA_TRACE_VERBOSE(false),
    /** Whether dispatchers poll forever instead of sleeping when nothing comes. */
    RDMA_USE_POLLING(false),
    /**
     * Pollers for the connections that this process opens, and as many for those it accepts; brpc
     * has this many per tag, and only in polling mode.
     */
    RDMA_POLLER_NUM(1, 1, 256),
    /** Whether a polling dispatcher lets other threads run after each round. */
    RDMA_POLLER_YIELD(false),
    /** Version of the hello a client sends, 2 or 3. */
    RDMA_CLIENT_HANDSHAKE_VERSION(2, 2, 3),
    /** Whether clients use the older handshake with the connection manager. Not in brpc. */
    RDMA_CLIENT_USE_RDMACM(false),
    /** Whether servers also accept the older handshake, and listen with the connection manager. */
    RDMA_SERVER_USE_RDMACM(false),
    /** Whether enhanced connection establishment options are exchanged (version 3 only). */
    RDMA_ECE(false),
    /**
     * The most scatter-gather elements of a send; 0 means 16 or the device's limit. In brpc 0 means
     * the device's limit, which would double the memory of an idle connection on the software
     * device.
     */
    RDMA_MAX_SGE(0, 0, Integer.MAX_VALUE),
    /** Name of the device; empty means the first usable one. */
    RDMA_DEVICE(""),
    /** Number of the device's port. */
    RDMA_PORT(1, 1, 255),
    /**
     * Index of the port's global identifier; -1 means a RoCE v2 one whose address belongs to this
     * host. brpc takes the highest index, which in a container may belong to another container.
     */
    RDMA_GID_INDEX(-1, -1, 65535),
    /**
     * The most bytes of a packet: 256, 512, 1024, 2048 or 4096, and no more than the port's active
     * MTU. Both sides need the same. Not in brpc, which uses 1024.
     */
    RDMA_PATH_MTU(1024, 256, 4096),
    /**
     * The traffic class of packets; on RoCE v2 their DSCP times four, by which switches and the
     * card choose the lossless queue. Not in brpc, which uses 0.
     */
    RDMA_TRAFFIC_CLASS(0, 0, 255),
    /** Size of receive blocks: default, large or huge. */
    RDMA_RECV_BLOCK_TYPE("default"),
    /**
     * How long a poller's thread, or a thread that waits for an answer, polls in vain before it
     * sleeps. Not in brpc.
     */
    RDMA_SPIN_US(100, 0, 1_000_000),
    /** How long a handshake may take after TCP is connected. Not in brpc, which has no limit. */
    RDMA_HANDSHAKE_TIMEOUT_MS(5000, 1, 3_600_000),
    /** How long TLS may take to agree. Not in brpc. */
    TLS_HANDSHAKE_TIMEOUT_MS(10_000, 1, 3_600_000),
    /**
     * How long a client of a server may take to prove itself: to send its first whole request, with
     * its credentials if the server wants any. Not in brpc.
     */
    NEWCOMER_TIMEOUT_MS(60_000, 1, 3_600_000),
    /** Clients that have not proved themselves; one more drops the oldest. Not in brpc. */
    MAX_NEWCOMERS(4096, 1, 1 << 20),
    /** Of them, those from one address. Not in brpc. */
    MAX_NEWCOMERS_PER_ADDRESS(1024, 1, 1 << 20),
    /** Of them, those with a queue pair and its receive buffers; one more uses TCP. Not in brpc. */
    MAX_NEWCOMER_QUEUE_PAIRS(256, 1, 1 << 20),
    /** Connections that a server accepts from one address; 0 means any number. Not in brpc. */
    MAX_CONNECTIONS_PER_ADDRESS(0, 0, 1 << 20),
    /** How long a close waits for bytes that were written to reach the peer. Not in brpc. */
    SOCKET_CLOSE_TIMEOUT_MS(5000, 0, 3_600_000),
    /** A connection refuses writes while more bytes than this are waiting. */
    SOCKET_MAX_UNWRITTEN_BYTES(64L << 20, 1, Long.MAX_VALUE),
    /**
     * How long connecting TCP may take, unless it is for a channel: channels have their own
     * connectTimeoutMs, as in brpc.
     */
    CONNECT_TIMEOUT_MS(3000, 1, 3_600_000),
    /** Whether the kernel probes for peers that have vanished; off in brpc. */
    SOCKET_KEEPALIVE(true),
    /** Seconds of silence before the first probe. */
    SOCKET_KEEPALIVE_IDLE_S(30, 1, 32767),
    /** Seconds between two probes. */
    SOCKET_KEEPALIVE_INTERVAL_S(5, 1, 32767),
    /** Unanswered probes after which the connection is dead. */
    SOCKET_KEEPALIVE_COUNT(3, 1, 127),
    /**
     * Seconds without a byte in either direction after which a connection is closed; -1 means
     * never.
     */
    IDLE_TIMEOUT_SEC(-1, -1, Integer.MAX_VALUE),
    /** Event loop threads for TCP and handshakes. */
    EVENT_DISPATCHER_NUM(1, 1, 256);

    @SuppressWarnings("ImmutableEnumChecker") // a Long, a Boolean or a String
    private final Setting setting;

    TransportFlag(long initial, long least, long most) {
        setting = new Setting(initial, least, most);
    }

    TransportFlag(boolean initial) {
        setting = new Setting(initial);
    }

    TransportFlag(String initial) {
        setting = new Setting(initial);
    }

    @Override
    public Setting setting() {
        return setting;
    }

    /**
     * {@return whether it can be changed at run time, for the connections opened afterwards} The
     * others are used once, when a device is opened or a server started, or belong to a channel.
     */
    public boolean isChangeable() {
        return switch (this) {
            case RDMA_TRACE_VERBOSE,
                    RDMA_CLIENT_HANDSHAKE_VERSION,
                    RDMA_CLIENT_USE_RDMACM,
                    RDMA_ECE,
                    RDMA_HANDSHAKE_TIMEOUT_MS,
                    SOCKET_CLOSE_TIMEOUT_MS,
                    SOCKET_KEEPALIVE,
                    SOCKET_KEEPALIVE_IDLE_S,
                    SOCKET_KEEPALIVE_INTERVAL_S,
                    SOCKET_KEEPALIVE_COUNT ->
                    true;
            default -> false;
        };
    }
}
