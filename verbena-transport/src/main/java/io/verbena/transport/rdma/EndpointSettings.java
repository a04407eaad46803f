// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;

/**
 * What all endpoints of a domain have in common.
 *
 * @param port through which they connect
 * @param pool where their blocks come from
 * @param queuePairs where their queue pairs return when they end
 * @param directory where device events look them up
 * @param sendQueueSize messages in a send queue
 * @param receiveQueueSize receives that are posted
 * @param zeroCopyAt messages of at least this many bytes are handed up without copying
 * @param maxUnwrittenBytes writes are refused while this many bytes are waiting
 * @param closeTimeoutNs how long a close waits
 * @param openTimeoutNs how long one waits to be opened: longer than any handshake takes
 */
record EndpointSettings(
        RdmaPort port,
        BlockPool pool,
        QueuePairs queuePairs,
        EndpointDirectory directory,
        int sendQueueSize,
        int receiveQueueSize,
        int zeroCopyAt,
        long maxUnwrittenBytes,
        long closeTimeoutNs,
        long openTimeoutNs) {
    /** How many times the limit of a handshake: its time begins before the endpoint is made. */
    private static final long OPEN_LIMITS = 2;

    /** {@return what the flags say} */
    static EndpointSettings of(
            TransportFlags flags,
            RdmaPort port,
            BlockPool pool,
            QueuePairs queuePairs,
            EndpointDirectory directory) {
        return new EndpointSettings(
                port,
                pool,
                queuePairs,
                directory,
                flags.integer(TransportFlag.RDMA_SQ_SIZE),
                flags.integer(TransportFlag.RDMA_RQ_SIZE),
                flags.isOn(TransportFlag.RDMA_RECV_ZEROCOPY)
                        ? flags.integer(TransportFlag.RDMA_ZEROCOPY_MIN_SIZE)
                        : Integer.MAX_VALUE,
                flags.number(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES),
                flags.number(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS) * 1_000_000,
                flags.number(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS) * OPEN_LIMITS * 1_000_000);
    }
}
