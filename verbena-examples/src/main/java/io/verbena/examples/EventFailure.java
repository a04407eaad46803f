// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionEvent;

/** Describes a connection event that means failure. */
final class EventFailure {
    private EventFailure() {}

    static ExampleException of(ConnectionEvent event) {
        String peer =
                event.identifier()
                        .remoteAddress()
                        .map(address -> address.getHostString() + ":" + address.getPort())
                        .orElse("the peer");
        return new ExampleException(
                switch (event.type()) {
                    case ADDRESS_ERROR -> "address of " + peer + " not resolved" + status(event);
                    case ROUTE_ERROR -> "no route to " + peer + status(event);
                    case REJECTED -> refusal(event, peer);
                    case UNREACHABLE -> peer + " did not answer" + status(event);
                    case CONNECT_ERROR -> "connecting to " + peer + " failed" + status(event);
                    default -> "unexpected event " + event.type() + status(event);
                });
    }

    private static String refusal(ConnectionEvent event, String peer) {
        return event.status() == ConnectionEvent.REJECTED_NO_LISTENER
                ? "nobody listens at " + peer
                : peer + " refused the connection" + status(event);
    }

    private static String status(ConnectionEvent event) {
        return " (status " + event.status() + ")";
    }
}
