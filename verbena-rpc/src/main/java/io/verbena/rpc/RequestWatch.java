// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Cuts connections that stop in the middle of a request, or send it too slowly: a request may take
 * {@code request_timeout_ms}, and a second more for each 16 KiB of it that has arrived. {@link
 * #sweep} is called once a second by one thread, the other methods by any.
 */
final class RequestWatch {
    private static final long BYTES_PER_SECOND = 16 << 10;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    /** More than this between two sweeps means that this process did not run. */
    private static final long MOST_PER_SWEEP_NS = 2 * SECOND_NS;

    private final LongSupplier limitMs;
    private final LongSupplier clock;
    private final Map<Connection, Progress> incomplete = new ConcurrentHashMap<>();
    private long lastSweepNs;

    /** How far a request has come. Only the sweeping thread touches the fields. */
    private static final class Progress {
        private final ServerProtocol.Parser reader;
        private long elapsedNs;
        private long firstBytes = -1;
        private boolean isAnswered;

        Progress(ServerProtocol.Parser reader) {
            this.reader = reader;
        }
    }

    RequestWatch(LongSupplier limitMs, LongSupplier clock) {
        this.limitMs = limitMs;
        this.clock = clock;
        this.lastSweepNs = clock.getAsLong();
    }

    /**
     * A part of a request has arrived.
     *
     * @param connection where
     * @param reader what reads it
     */
    void begin(Connection connection, ServerProtocol.Parser reader) {
        incomplete.put(connection, new Progress(reader));
    }

    /** It is complete, or the connection has ended. */
    void end(Connection connection) {
        incomplete.remove(connection);
    }

    /** Cuts connections that have taken too long. */
    void sweep() {
        long now = clock.getAsLong();
        long passed = Math.min(now - lastSweepNs, MOST_PER_SWEEP_NS);
        lastSweepNs = now;
        incomplete.forEach((connection, progress) -> look(connection, progress, passed));
    }

    private void look(Connection connection, Progress progress, long passedNs) {
        long bytes = connection.statistics().receivedBytes();
        if (progress.firstBytes < 0) {
            progress.firstBytes = bytes;
            return;
        }
        progress.elapsedNs += passedNs;
        long limit = limitMs.getAsLong();
        double more = (double) (bytes - progress.firstBytes) / BYTES_PER_SECOND * SECOND_NS;
        if (progress.elapsedNs > TimeUnit.MILLISECONDS.toNanos(limit) + more) {
            String why = "request: incomplete after " + limit + " ms (see request_timeout_ms)";
            if (!progress.isAnswered && progress.reader.answerLate(why)) {
                // once more the same time for the answer
                progress.isAnswered = true;
                progress.elapsedNs = 0;
            } else {
                connection.abort(new TransportException(TransportError.ERPCTIMEDOUT, why));
            }
        }
    }
}
