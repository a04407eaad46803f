// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.wire.StreamSettings;
import io.verbena.transport.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The streams that a request offers, and those of them that the server has accepted: they are
 * connected once the response was sent.
 *
 * <p>Threads: those that run the service and answer the call, one after the other.
 */
final class AcceptedStreams {
    private final ConnectionStreams host;
    private final StreamSettings offered;
    private final List<SocketStream> accepted = new ArrayList<>();

    AcceptedStreams(ConnectionStreams host, StreamSettings offered) {
        this.host = host;
        this.offered = offered;
    }

    StreamSettings offered() {
        return offered;
    }

    /** {@return the client's id of the first stream, where the response goes} */
    long firstOffered() {
        return offered.id(0);
    }

    /** {@return the id of this side's first stream; -1 if none was accepted} */
    long firstAccepted() {
        return accepted.isEmpty() ? -1 : accepted.getFirst().id();
    }

    /** {@return the index of the next stream that can be accepted} */
    int next() {
        return accepted.size();
    }

    /** Accepts the next stream: they are accepted in the order in which they were offered. */
    SocketStream accept(int index, ByteStreamOptions options, StreamWatcher watcher) {
        if (index != accepted.size() || index >= offered.count()) {
            throw new IllegalStateException(
                    "stream: " + index + " (expected: one that was offered, and the next)");
        }
        try {
            SocketStream stream = host.accept(options, watcher);
            stream.pair(offered.id(index), offered);
            accepted.add(stream);
            return stream;
        } catch (TransportException e) {
            throw new RpcException(e.code(), e.getMessage());
        }
    }

    /** {@return what the response says, if any stream was accepted} */
    Optional<StreamSettings> settings() {
        return accepted.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new StreamSettings(
                                accepted.stream().mapToLong(SocketStream::id).toArray(),
                                accepted.getFirst().isFeedbackNeeded(),
                                true));
    }

    /** The response was sent. */
    void connect() {
        accepted.forEach(SocketStream::connect);
    }

    /** The call has failed: the client knows none of them. */
    void fail(int code, String text) {
        accepted.forEach(stream -> stream.fail(code, text));
    }
}
