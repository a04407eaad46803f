// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Set;

/**
 * The settings of a connection made without the connection manager.
 *
 * @param port the local port
 * @param gidIndex which of the port's global identifiers to use
 * @param mtu the path MTU, the same on both sides
 * @param access what the peer may do
 * @param sendPacketSequenceNumber the first sequence number to send with
 * @param timeout the retransmission timeout, 4.096 µs times two to this power; 0 means forever
 * @param retryCount how many times to retry when the peer does not answer, 0 to 7
 * @param rnrRetry how many times to retry when the peer has no receive posted; 7 means forever
 * @param minRnrTimer how long the peer must wait when this side has no receive posted, a code from
 *     0 to 31
 * @param maxReadAtomic the most reads and atomics this side starts at once
 * @param maxDestinationReadAtomic the most reads and atomics this side answers at once
 */
public record ConnectionSettings(
        int port,
        int gidIndex,
        PathMtu mtu,
        Set<AccessFlag> access,
        int sendPacketSequenceNumber,
        int timeout,
        int retryCount,
        int rnrRetry,
        int minRnrTimer,
        int maxReadAtomic,
        int maxDestinationReadAtomic) {
    /**
     * {@return the usual settings: port 1, MTU 1024, timeout 14, seven retries of both kinds, one
     * read or atomic at a time}
     *
     * @param access what the peer may do
     */
    public static ConnectionSettings of(AccessFlag... access) {
        return new ConnectionSettings(
                1, 0, PathMtu.MTU_1024, Set.of(access), 0, 14, 7, 7, 12, 1, 1);
    }

    /**
     * {@return these settings with other retry counts}
     *
     * @param retry how many times to retry when the peer does not answer
     * @param rnr how many times to retry when the peer has no receive posted
     * @param rnrTimer how long the peer must wait when this side has no receive posted, as a code
     */
    public ConnectionSettings withRetries(int retry, int rnr, int rnrTimer) {
        return new ConnectionSettings(
                port,
                gidIndex,
                mtu,
                access,
                sendPacketSequenceNumber,
                timeout,
                retry,
                rnr,
                rnrTimer,
                maxReadAtomic,
                maxDestinationReadAtomic);
    }

    /**
     * {@return these settings with other limits on reads and atomics}
     *
     * @param initiated the most this side starts at once
     * @param answered the most this side answers at once
     */
    public ConnectionSettings withReadAtomic(int initiated, int answered) {
        return new ConnectionSettings(
                port,
                gidIndex,
                mtu,
                access,
                sendPacketSequenceNumber,
                timeout,
                retryCount,
                rnrRetry,
                minRnrTimer,
                initiated,
                answered);
    }

    /**
     * {@return these settings with another retransmission timeout}
     *
     * @param code 4.096 µs times two to this power; 0 means forever
     */
    public ConnectionSettings withTimeout(int code) {
        return new ConnectionSettings(
                port,
                gidIndex,
                mtu,
                access,
                sendPacketSequenceNumber,
                code,
                retryCount,
                rnrRetry,
                minRnrTimer,
                maxReadAtomic,
                maxDestinationReadAtomic);
    }

    /**
     * {@return these settings for another path}
     *
     * @param localPort the local port
     * @param localGidIndex which of its global identifiers to use
     * @param pathMtu the path MTU
     * @param packetSequenceNumber the first sequence number to send with
     */
    public ConnectionSettings withPath(
            int localPort, int localGidIndex, PathMtu pathMtu, int packetSequenceNumber) {
        return new ConnectionSettings(
                localPort,
                localGidIndex,
                pathMtu,
                access,
                packetSequenceNumber,
                timeout,
                retryCount,
                rnrRetry,
                minRnrTimer,
                maxReadAtomic,
                maxDestinationReadAtomic);
    }

    QueuePairAttributes toInit() {
        return QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(port)
                .access(access.toArray(AccessFlag[]::new));
    }

    QueuePairAttributes toReadyToReceive(QueuePairAddress remote) {
        return QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                .path(remote.gid(), remote.lid(), gidIndex)
                .pathMtu(mtu)
                .destination(remote.number())
                .receivePacketSequenceNumber(remote.packetSequenceNumber())
                .maxDestinationReadAtomic(maxDestinationReadAtomic)
                .minRnrTimer(minRnrTimer);
    }

    QueuePairAttributes toReadyToSend() {
        return QueuePairAttributes.to(QueuePairState.READY_TO_SEND)
                .timeout(timeout)
                .retryCount(retryCount)
                .rnrRetry(rnrRetry)
                .sendPacketSequenceNumber(sendPacketSequenceNumber)
                .maxReadAtomic(maxReadAtomic);
    }
}
