// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.time.Duration;

/** Waits for an event and turns any other event into an exception. */
final class ConnectionWait {
    private ConnectionWait() {}

    static ConnectionEvent await(
            EventChannel channel, String verb, ConnectionEventType expected, Duration timeout)
            throws InterruptedException {
        ConnectionEvent event =
                channel.awaitEvent(timeout)
                        .orElseThrow(
                                () ->
                                        new VerbsException(
                                                verb,
                                                Errno.ETIMEDOUT,
                                                "no "
                                                        + expected
                                                        + " within "
                                                        + timeout.toMillis()
                                                        + " ms"));
        if (event.type() != expected) {
            throw new ConnectionException(verb, errno(event), describe(event), event);
        }
        return event;
    }

    private static int errno(ConnectionEvent event) {
        if (event.status() < 0) {
            return -event.status();
        }
        return switch (event.type()) {
            case REJECTED -> Errno.ECONNREFUSED;
            case UNREACHABLE, ADDRESS_ERROR, ROUTE_ERROR -> Errno.EHOSTUNREACH;
            case DISCONNECTED -> Errno.ECONNRESET;
            default -> Errno.EIO;
        };
    }

    private static String describe(ConnectionEvent event) {
        String peer =
                event.identifier()
                        .remoteAddress()
                        .map(address -> address.getHostString() + ":" + address.getPort())
                        .orElse("the peer");
        return switch (event.type()) {
            case REJECTED ->
                    event.status() == ConnectionEvent.REJECTED_NO_LISTENER
                            ? "nobody listens at " + peer
                            : peer + " refused, reason " + event.status();
            case UNREACHABLE -> peer + " did not answer";
            case DISCONNECTED -> peer + " closed the connection";
            default ->
                    "got event "
                            + event.type()
                            + " with status "
                            + event.status()
                            + " on "
                            + event.identifier();
        };
    }
}
