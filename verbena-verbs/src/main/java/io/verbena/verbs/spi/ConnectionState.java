// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import java.util.Set;

/** The states of a connection identifier and where each may go; every one may go to CLOSED. */
public enum ConnectionState {
    /** Newly created. */
    IDLE,
    /** Has a local port. */
    BOUND,
    /** Taking connection requests. */
    LISTENING,
    /** Resolving an address. */
    RESOLVING_ADDRESS,
    /** The address is resolved. */
    ADDRESS_RESOLVED,
    /** Resolving the route. */
    RESOLVING_ROUTE,
    /** Ready to connect. */
    ROUTE_RESOLVED,
    /** Active: REQ was sent. */
    CONNECTING,
    /** Active: REP has arrived, the queue pair is being moved. */
    ESTABLISHING,
    /** Passive: REQ has arrived, the application decides. */
    REQUESTED,
    /** Passive: the application has accepted, the queue pair is being moved. */
    ACCEPTING,
    /** Passive: REP was sent. */
    ACCEPTED,
    /** Both queue pairs are working. */
    ESTABLISHED,
    /** One side has ended the connection. */
    DISCONNECTING,
    /** Both sides have ended the connection. */
    DISCONNECTED,
    /** The attempt to connect failed. */
    FAILED,
    /** Closed. */
    CLOSED;

    /**
     * {@return whether this state may be followed by another}
     *
     * @param next the other
     */
    public boolean mayGoTo(ConnectionState next) {
        return (next == CLOSED && this != CLOSED) || successors().contains(next);
    }

    private Set<ConnectionState> successors() {
        return switch (this) {
            case IDLE -> Set.of(BOUND, RESOLVING_ADDRESS, FAILED);
            case BOUND -> Set.of(LISTENING, RESOLVING_ADDRESS);
            case RESOLVING_ADDRESS -> Set.of(ADDRESS_RESOLVED, IDLE, BOUND, FAILED);
            case ADDRESS_RESOLVED -> Set.of(RESOLVING_ROUTE);
            case RESOLVING_ROUTE -> Set.of(ROUTE_RESOLVED, ADDRESS_RESOLVED);
            case ROUTE_RESOLVED -> Set.of(CONNECTING);
            case CONNECTING -> Set.of(ESTABLISHING, ROUTE_RESOLVED, FAILED);
            case ESTABLISHING -> Set.of(ESTABLISHED, FAILED);
            case REQUESTED -> Set.of(ACCEPTING, FAILED);
            case ACCEPTING -> Set.of(ACCEPTED, REQUESTED, FAILED);
            case ACCEPTED -> Set.of(ESTABLISHED, DISCONNECTING, FAILED);
            case ESTABLISHED -> Set.of(DISCONNECTING);
            case DISCONNECTING -> Set.of(DISCONNECTED);
            case LISTENING -> Set.of(BOUND);
            case DISCONNECTED, FAILED, CLOSED -> Set.of();
        };
    }
}
