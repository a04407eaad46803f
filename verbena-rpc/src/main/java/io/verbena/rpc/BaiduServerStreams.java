// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.ServerStreams;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.rpc.wire.StreamSettings;
import io.verbena.transport.TransportException;
import java.util.Optional;

/**
 * The streams of a call over {@code baidu_std}, on the server: for responses, the status and, if
 * the method has many, requests, as decision 0022 numbers them.
 */
final class BaiduServerStreams implements ServerStreams {
    private static final int RESPONSES = 0;
    private static final int STATUS = 1;
    private static final int REQUESTS = 2;

    private final BaiduCall call;
    private final AcceptedStreams accepted;
    private final boolean isMany;
    private final BlockPool pool;
    private SocketStream responses;
    private Optional<SocketStream> status = Optional.empty();
    private Optional<SocketStream> requests = Optional.empty();
    private volatile StreamEvents events;
    private volatile boolean isOpen;

    BaiduServerStreams(BaiduCall call, AcceptedStreams accepted, boolean isMany) {
        this.call = call;
        this.accepted = accepted;
        this.isMany = isMany;
        this.pool = call.session().pool();
    }

    /** {@return whether the client knows them} */
    boolean isOpen() {
        return isOpen;
    }

    @Override
    public void open(StreamEvents told) {
        events = told;
        StreamSettings offered = accepted.offered();
        int wanted = isMany ? REQUESTS + 1 : 1;
        if (offered.count() < wanted) {
            throw new RpcException(
                    RpcError.EREQUEST,
                    "streams: "
                            + offered.count()
                            + " (expected: "
                            + (wanted == 1 ? 2 : wanted)
                            + ", for responses, the status and requests)");
        }
        responses = accepted.accept(RESPONSES, ByteStreamOptions.DEFAULT, new Responses());
        if (offered.count() > STATUS) {
            status = Optional.of(accepted.accept(STATUS, ByteStreamOptions.DEFAULT, new Ignored()));
        }
        if (isMany) {
            requests =
                    Optional.of(
                            accepted.accept(REQUESTS, ByteStreamOptions.DEFAULT, new Requests()));
        }
        isOpen = true;
        call.answerOpened();
    }

    @Override
    public MessageSource requests() {
        return new StreamSource(pool, requests::orElseThrow, RpcError.EREQUEST);
    }

    @Override
    public MessageSink responses() {
        return new StreamSink(pool, () -> responses);
    }

    /**
     * Ends the call.
     *
     * @param outcome how it ended
     * @param response the only one, or empty if there are many or it failed
     */
    void finish(StreamStatus outcome, Optional<Message> response) {
        StreamStatus said = outcome;
        if (response.isPresent()) {
            said = send(response.get());
        }
        if (said.code() != 0 && status.isPresent()) {
            try (IOBuf message = pool.buffer()) {
                said.appendTo(message);
                var _ = status.get().tryWrite(message);
            } catch (RpcException e) {
                // the client has gone: nobody reads it
                responses.fail(e.code(), e.text());
            }
        }
        // that of the responses is the last: it ends the call
        requests.ifPresent(BaiduServerStreams::end);
        status.ifPresent(BaiduServerStreams::end);
        end(responses);
    }

    private static void end(SocketStream stream) {
        stream.close();
        stream.drop();
    }

    private StreamStatus send(Message response) {
        try {
            if (responses().tryWrite(response)) {
                return StreamStatus.SUCCESS;
            }
            return new StreamStatus(
                    RpcError.EOVERCROWDED.code(), "the connection accepts no more answers");
        } catch (RpcException e) {
            return new StreamStatus(e.code(), e.text());
        } catch (TransportException e) {
            return new StreamStatus(e.code(), e.detail());
        }
    }

    /** What is told when a stream ends that the client needs. */
    private void canceled(SocketStream stream) {
        RpcException failure = stream.failure();
        if (failure == null) {
            events.onOver(RpcError.ECANCELED.code(), "canceled by the client");
        } else {
            events.onOver(failure.code(), failure.text());
        }
    }

    /** The stream of responses. If the client ends it, it gives up the call. */
    private final class Responses implements StreamWatcher {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {
            events.onWritable();
        }

        @Override
        public void onEnded() {
            canceled(responses);
        }
    }

    /** The stream of requests. Its end is their end. */
    private final class Requests implements StreamWatcher {
        @Override
        public void onReadable() {
            events.onReadable();
        }

        @Override
        public void onWritable() {}

        @Override
        public void onEnded() {
            SocketStream stream = requests.orElseThrow();
            if (stream.failure() == null) {
                events.onReadable();
            } else {
                canceled(stream);
            }
        }
    }

    /** The stream of the status, which the client does not use. */
    private static final class Ignored implements StreamWatcher {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {}

        @Override
        public void onEnded() {}
    }
}
