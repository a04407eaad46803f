// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.wire.MetaReader;
import io.verbena.rpc.wire.RpcMeta;
import io.verbena.rpc.wire.StreamSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The streams that a client's call opens. Each try has new ones, on its own connection; when the
 * call is answered, those of that try are connected.
 *
 * <p>Threads: the owner of the call, and then whoever uses the streams.
 */
final class RequestStreams {
    private final List<Slot> slots = new ArrayList<>();

    /** One stream of the call. */
    static final class Slot {
        private final ByteStreamOptions options;
        private final StreamWatcher watcher;

        /** That of the latest try; null before the first. */
        private volatile SocketStream stream;

        /** Why the call failed; null if it did not. */
        private volatile RpcException failure;

        /** Whether this side has closed it: holds for every try. */
        private volatile boolean isClosed;

        /** Whether nobody will read it: holds for every try. */
        private volatile boolean isDropped;

        private Slot(ByteStreamOptions options, StreamWatcher watcher) {
            this.options = options;
            this.watcher = watcher;
        }

        /** {@return the stream, or null if the call has not been sent} */
        SocketStream stream() {
            return stream;
        }

        /** Closes the stream, now or once there is one. */
        void close() {
            isClosed = true;
            SocketStream bound = stream;
            if (bound != null) {
                bound.close();
            }
        }

        /** Drops what has arrived and what will arrive. */
        void drop() {
            isDropped = true;
            SocketStream bound = stream;
            if (bound != null) {
                bound.drop();
            }
        }

        private void bind(SocketStream opened) {
            stream = opened;
            // asked after that was published: whoever closes sees the stream, or is seen here
            if (isClosed) {
                opened.close();
            }
            if (isDropped) {
                opened.drop();
            }
        }

        /** {@return why it failed, or null if it did not} */
        RpcException failure() {
            RpcException ofCall = failure;
            SocketStream bound = stream;
            return ofCall != null || bound == null ? ofCall : bound.failure();
        }

        boolean isEnded() {
            SocketStream bound = stream;
            return failure != null || bound != null && bound.isEnded() && bound.isPaired();
        }

        private void fail(RpcException reason) {
            SocketStream bound = stream;
            if (failure == null && (bound == null || !bound.isEnded() || !bound.isPaired())) {
                failure = reason;
                if (bound != null) {
                    bound.abandon();
                }
                watcher.onEnded(Optional.of(reason));
            }
        }
    }

    /** Adds a stream. */
    Slot add(ByteStreamOptions options, StreamWatcher watcher) {
        if (slots.size() == StreamSettings.MOST_STREAMS) {
            throw new IllegalStateException(
                    "streams: " + slots.size() + " (expected: no more in one call)");
        }
        Slot slot = new Slot(options, watcher);
        slots.add(slot);
        return slot;
    }

    /** {@return what a try tells the server about streams on its connection} */
    StreamSettings bind(ConnectionStreams host) {
        long[] ids = new long[slots.size()];
        for (int i = 0; i < ids.length; i++) {
            Slot slot = slots.get(i);
            SocketStream before = slot.stream;
            if (before != null) {
                before.abandon();
            }
            SocketStream stream = host.offer(slot.options, slot.watcher);
            if (i == 0) {
                stream.awaitResponse();
            }
            slot.bind(stream);
            ids[i] = stream.id();
        }
        return new StreamSettings(ids, slots.getFirst().stream.isFeedbackNeeded(), true);
    }

    /**
     * The call was answered.
     *
     * @param meta of the response
     * @param host the connection it came from
     * @return whether the server has accepted the first stream
     */
    boolean tryConnect(RpcMeta meta, ConnectionStreams host) {
        Optional<StreamSettings> accepted = settings(meta);
        int count = accepted.map(StreamSettings::count).orElse(0);
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            if (i < count) {
                slot.stream.pair(accepted.get().id(i), accepted.get());
                slot.stream.connect();
            } else {
                slot.fail(
                        new RpcException(
                                RpcError.EREQUEST, "the server did not accept the stream"));
            }
        }
        for (int i = slots.size(); i < count; i++) {
            host.reset(accepted.get().id(i));
        }
        return count > 0;
    }

    /** The call has failed, and its streams with it. Never throws. */
    void fail(int code, String text) {
        for (Slot slot : slots) {
            try {
                slot.fail(new RpcException(code, text));
            } catch (Throwable e) {
                Faults.warn(RequestStreams.class, "the end of a stream failed", text, e);
            }
        }
    }

    private static Optional<StreamSettings> settings(RpcMeta meta) {
        return meta.streamSettings().isPresent()
                ? MetaReader.readSettings(meta.streamSettings())
                : Optional.empty();
    }

    /** A response has come whose call is gone: nobody will use the streams of the server. */
    static void refuse(RpcMeta meta, ConnectionStreams host) {
        Optional<StreamSettings> offered = settings(meta);
        for (int i = 0; i < offered.map(StreamSettings::count).orElse(0); i++) {
            host.reset(offered.get().id(i));
        }
    }
}
