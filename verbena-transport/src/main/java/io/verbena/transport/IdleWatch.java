// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection that has moved no byte in either direction for {@code idle_timeout_sec}. Checks
 * four times within that time, on the event loop, and costs the data path nothing.
 */
final class IdleWatch {
    private static final int LOOKS = 4;

    private final SocketConnection connection;
    private final long limitSeconds;
    private long movedBytes;
    private int idleLooks;
    private Future<?> timer;

    private IdleWatch(SocketConnection connection, long limitSeconds) {
        this.connection = connection;
        this.limitSeconds = limitSeconds;
    }

    /** Starts checking, if there is a limit. */
    static void start(SocketConnection connection) {
        long limitSeconds = connection.flags().number(TransportFlag.IDLE_TIMEOUT_SEC);
        if (limitSeconds <= 0) {
            return;
        }
        IdleWatch watch = new IdleWatch(connection, limitSeconds);
        long period = TimeUnit.SECONDS.toMillis(limitSeconds) / LOOKS;
        watch.timer =
                connection
                        .loop()
                        .scheduleAtFixedRate(watch::look, period, period, TimeUnit.MILLISECONDS);
    }

    private void look() {
        if (connection.hasEnded()) {
            timer.cancel(false);
            return;
        }
        ConnectionStatistics now = connection.statistics();
        long moved = now.sentBytes() + now.receivedBytes();
        idleLooks = moved == movedBytes ? idleLooks + 1 : 0;
        movedBytes = moved;
        if (idleLooks >= LOOKS) {
            timer.cancel(false);
            connection.abort(
                    new TransportException(
                            TransportError.EUNUSED,
                            "idle for " + limitSeconds + " s (see idle_timeout_sec)"));
        }
    }
}
