// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.transport.Connection;
import java.util.Map;
import java.util.Optional;

/**
 * A call with streams over {@code baidu_std}: brpc's streams for responses, the status and, if the
 * method has many, requests, as decision 0022 numbers them.
 */
final class BaiduClientStream implements ClientStream, CallNotifier.Quick {
    private final ClientController controller;
    private final StreamEvents events;
    private final BlockPool pool;
    private final RequestStreams streams = new RequestStreams();
    private final RequestStreams.Slot responses;
    private final RequestStreams.Slot status;
    private final Optional<RequestStreams.Slot> requests;
    private final StreamSource source;
    private final StreamSink sink;

    BaiduClientStream(
            ClientController controller, StreamEvents events, BlockPool pool, boolean isMany) {
        this.controller = controller;
        this.events = events;
        this.pool = pool;
        this.responses = streams.add(ByteStreamOptions.DEFAULT, new Responses());
        this.status = streams.add(ByteStreamOptions.DEFAULT, new Ignored());
        this.requests =
                isMany
                        ? Optional.of(streams.add(ByteStreamOptions.DEFAULT, new Requests()))
                        : Optional.empty();
        RequestStreams.Slot written = requests.orElse(responses);
        this.source =
                new StreamSource(pool, responses::stream, responses::drop, RpcError.ERESPONSE);
        this.sink = new StreamSink(pool, written::stream, written::close);
        controller.streams(streams);
    }

    /** The call that opens the streams is over. */
    @Override
    public void accept(Message response) {
        if (controller.failed()) {
            events.onOver(controller.errorCode(), controller.errorText());
        }
    }

    @Override
    public MessageSink requests() {
        return sink;
    }

    @Override
    public MessageSource responses() {
        return source;
    }

    @Override
    public Map<String, String> responseUserFields() {
        return Map.of(); // they came with the response, and are in the controller already
    }

    @Override
    public Optional<Connection> connection() {
        SocketStream bound = responses.stream();
        return bound == null ? Optional.empty() : Optional.of(bound.host().connection());
    }

    @Override
    public void cancel(int code) {
        if (code != 0) {
            controller.cancelTries();
        }
        responses.close();
        status.close();
        status.drop();
        requests.ifPresent(RequestStreams.Slot::close);
        requests.ifPresent(RequestStreams.Slot::drop);
    }

    /** {@return how the server says the call ended} It was sent before the responses ended. */
    private StreamStatus status() {
        SocketStream bound = status.stream();
        try (IOBuf message = pool.buffer()) {
            return bound == null || bound.poll(message) < 0
                    ? StreamStatus.SUCCESS
                    : StreamStatus.read(message);
        }
    }

    /** The stream of responses. Its end is that of the call. */
    private final class Responses implements StreamWatcher {
        @Override
        public void onReadable() {
            events.onReadable();
        }

        @Override
        public void onWritable() {}

        @Override
        public void onEnded(Optional<RpcException> failure) {
            if (failure.isPresent()) {
                events.onOver(failure.get().code(), failure.get().text());
                return;
            }
            StreamStatus said = status();
            events.onOver(
                    said.code(), said.code() == 0 ? "" : "[E" + said.code() + "]" + said.text());
        }
    }

    /** The stream of requests. */
    private final class Requests implements StreamWatcher {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {
            events.onWritable();
        }

        /** The server wants no more requests, or the call is over: its status will say. */
        @Override
        public void onEnded(Optional<RpcException> failure) {
            events.onWritable();
        }
    }

    /** A stream that is looked at when another ends. */
    private static final class Ignored implements StreamWatcher {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {}

        @Override
        public void onEnded(Optional<RpcException> failure) {}
    }
}
