// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.ServerStreams;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.rpc.wire.StreamSettings;
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
        call.answerOpened();
        isOpen = true;
    }

    @Override
    public MessageSource requests() {
        SocketStream stream = requests.orElseThrow();
        return new StreamSource(pool, () -> stream, stream::drop, RpcError.EREQUEST);
    }

    @Override
    public MessageSink responses() {
        return new StreamSink(pool, () -> responses, responses::close);
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
                status.get().writeVital(message);
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
        try (IOBuf message = pool.buffer()) {
            ProtobufCodec.append(response, message);
            responses.writeLast(message);
            return StreamStatus.SUCCESS;
        } catch (RpcException e) {
            return new StreamStatus(e.code(), e.text());
        } catch (Throwable e) {
            Faults.warn(BaiduServerStreams.class, "the response cannot be sent", call, e);
            return new StreamStatus(
                    RpcError.EINTERNAL.code(), Faults.describe("the response cannot be sent", e));
        }
    }

    /** A stream has ended that the service needs. */
    private void onLost(Optional<RpcException> failure) {
        if (failure.isPresent()) {
            events.onOver(failure.get().code(), failure.get().text());
        } else {
            onCanceled();
        }
    }

    private void onCanceled() {
        events.onOver(RpcError.ECANCELED.code(), "canceled by the client");
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
        public void onEnded(Optional<RpcException> failure) {
            onLost(failure);
        }

        /** A client that gave up the call before it was answered does not know the stream. */
        @Override
        public void onReset(RpcException failure) {
            onCanceled();
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
        public void onEnded(Optional<RpcException> failure) {
            if (failure.isEmpty()) {
                events.onReadable();
            } else {
                onLost(failure);
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
        public void onEnded(Optional<RpcException> failure) {}
    }
}
