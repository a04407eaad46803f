// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.transport.handshake.Handshake;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each step of a handshake if {@code rdma_trace_verbose} is on. Whoever turns that on wants to
 * see it, so it is logged as a warning, which every configuration shows.
 */
final class HandshakeTrace {
    private static final Logger LOG = LoggerFactory.getLogger("io.verbena.transport.handshake");

    private final SocketConnection connection;
    private final Handshake handshake;
    private final boolean isOn;

    HandshakeTrace(SocketConnection connection, Handshake handshake) {
        this.connection = connection;
        this.handshake = handshake;
        this.isOn = connection.flags().isOn(TransportFlag.RDMA_TRACE_VERBOSE);
    }

    /** Something happened. */
    void step(String what) {
        if (isOn) {
            LOG.warn("{}: {}", connection, what);
        }
    }

    /** Something happened to a number of bytes. */
    void step(String what, int bytes) {
        if (isOn) {
            LOG.warn("{}: {}, {} bytes", connection, what, bytes);
        }
    }

    /** The handshake is over. */
    void end(String outcome) {
        if (isOn) {
            LOG.warn(
                    "{}: handshake version {}, {}: {} {}",
                    connection,
                    handshake.version(),
                    handshake.rdmaState(),
                    outcome,
                    handshake.objection().orElse(""));
        }
    }
}
