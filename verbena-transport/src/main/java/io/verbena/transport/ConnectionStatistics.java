// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/**
 * A connection at one moment. The numbers are read one after the other while other threads change
 * them, so they need not add up.
 *
 * @param handshakeState how far the handshake has come
 * @param rdmaState where writes go
 * @param handshakeVersion 2 or 3, 1 for the connection manager's, 0 if there was no hello
 * @param localWindowCapacity the most data requests this side may have in flight
 * @param remoteWindowCapacity the most data requests the peer may have in flight
 * @param remoteReceiveWindow how many of the peer's receives this side may still use
 * @param sendWindow free places in the send queue
 * @param acknowledgementWindow free places for pure acknowledgements
 * @param unreportedReceives reposted receives that the peer does not know about yet
 * @param unsignaledRequests requests posted since the last signaled one
 * @param sentMessages data requests posted, 0 over TCP
 * @param receivedMessages data messages received, 0 over TCP
 * @param sentAcknowledgements pure acknowledgements posted
 * @param receivedAcknowledgements pure acknowledgements received
 * @param sentBytes bytes passed to the device or the kernel
 * @param receivedBytes bytes delivered to the connection
 * @param unwrittenBytes bytes waiting to be sent
 */
public record ConnectionStatistics(
        HandshakeState handshakeState,
        RdmaState rdmaState,
        int handshakeVersion,
        int localWindowCapacity,
        int remoteWindowCapacity,
        int remoteReceiveWindow,
        int sendWindow,
        int acknowledgementWindow,
        int unreportedReceives,
        int unsignaledRequests,
        long sentMessages,
        long receivedMessages,
        long sentAcknowledgements,
        long receivedAcknowledgements,
        long sentBytes,
        long receivedBytes,
        long unwrittenBytes) {

    /** {@return a connection that has no windows} */
    static ConnectionStatistics withoutWindows(
            HandshakeState handshakeState,
            RdmaState rdmaState,
            long sentBytes,
            long receivedBytes,
            long unwrittenBytes) {
        return new ConnectionStatistics(
                handshakeState,
                rdmaState,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                sentBytes,
                receivedBytes,
                unwrittenBytes);
    }

    /** {@return the same numbers with another handshake state} */
    ConnectionStatistics withHandshake(HandshakeState handshake, RdmaState rdma, int version) {
        return new ConnectionStatistics(
                handshake,
                rdma,
                version,
                localWindowCapacity,
                remoteWindowCapacity,
                remoteReceiveWindow,
                sendWindow,
                acknowledgementWindow,
                unreportedReceives,
                unsignaledRequests,
                sentMessages,
                receivedMessages,
                sentAcknowledgements,
                receivedAcknowledgements,
                sentBytes,
                receivedBytes,
                unwrittenBytes);
    }
}
