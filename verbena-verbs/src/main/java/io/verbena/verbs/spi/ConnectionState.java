// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import java.util.Set;

/** The states of a connection identifier and where each may go; every one may go to CLOSED. */
public enum ConnectionState {
    /** Newly created. */
    IDLE,
    /** Has a local port. */
    BOUND,
    /** Takes connection requests. */
    LISTENING,
    /** Looks for the way to an address. */
    RESOLVING_ADDRESS,
    /** Knows the way to an address. */
    ADDRESS_RESOLVED,
    /** Looks for the route. */
    RESOLVING_ROUTE,
    /** May connect. */
    ROUTE_RESOLVED,
    /** Active: REQ is on its way. */
    CONNECTING,
    /** Active: REP has come, the queue pair is being moved. */
    ESTABLISHING,
    /** Passive: REQ has come, the application is asked. */
    REQUESTED,
    /** Passive: the application agrees, the queue pair is being moved. */
    ACCEPTING,
    /** Passive: REP is sent. */
    ACCEPTED,
    /** Both queue pairs work. */
    ESTABLISHED,
    /** One side has ended the connection. */
    DISCONNECTING,
    /** Both sides have ended the connection. */
    DISCONNECTED,
    /** No connection came of it. */
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
