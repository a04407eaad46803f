// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.ServerCall;
import io.verbena.rpc.spi.ServerStreamRequest;
import io.verbena.rpc.spi.StreamEvents;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A call of a service, of any form. A method with one request is accepted when that is there, one
 * with many at once. Received in the link's turn, decoded by the service's thread, answered by any.
 */
final class GrpcCall implements Receiver, ServerStreamRequest {
    private final ServerStream stream;
    private final String serviceName;
    private final String methodName;
    private final int timeoutMs;
    private final boolean hasManyRequests;
    private final boolean hasManyResponses;
    private final ReceivedMessages received;
    private final SentMessages sent;
    private boolean isAccepted;
    private boolean holdsServer;
    private boolean isOver;
    private volatile boolean isAnswered;
    private volatile ServerCall call;
    private volatile StreamEvents events = NoEvents.INSTANCE;

    /**
     * A call.
     *
     * @param stream its stream
     * @param serviceName full name of the service
     * @param methodName name of the method
     * @param method the method, if there is one
     * @param timeoutMs how long the client waits
     */
    GrpcCall(
            ServerStream stream,
            String serviceName,
            String methodName,
            Optional<MethodDescriptor> method,
            int timeoutMs) {
        this.stream = stream;
        this.serviceName = serviceName;
        this.methodName = methodName;
        this.timeoutMs = timeoutMs;
        this.hasManyRequests = method.isPresent() && method.get().isClientStreaming();
        this.hasManyResponses = method.isPresent() && method.get().isServerStreaming();
        BlockPool pool = stream.owner().connection().server().pool();
        this.received =
                new ReceivedMessages(
                        new Requests(),
                        pool,
                        stream.owner().connection().server()::maxBodyBytes,
                        RpcError.EREQUEST);
        this.sent = new SentMessages(new Responses(), pool, this::isGzip);
        if (method.isEmpty() || hasManyRequests) {
            // one without a method is refused like any other call
            accept();
        }
    }

    /** Has the server run the call. */
    private void accept() {
        isAccepted = true;
        stream.owner().entered();
        holdsServer = stream.owner().connection().server().tryHold();
        stream.owner().connection().accept(this);
    }

    @Override
    public long onData(ByteBuf data) throws MalformedMessageException {
        received.onData(data);
        return received.unfinishedBytes();
    }

    @Override
    public void onEnd() throws MalformedMessageException {
        received.onEnd();
        if (isAccepted) {
            return;
        }
        if (received.count() != 1) {
            throw new MalformedMessageException(
                    GrpcStatus.INTERNAL, "requests: " + received.count() + " (expected: 1)");
        }
        accept();
    }

    @Override
    public void onClosed() {
        isOver = true;
        if (!isAccepted) {
            received.close();
        } else if (!isAnswered) {
            ServerCall running = call;
            if (running != null) {
                running.cancel();
            }
            events.onOver(RpcError.ECANCELED.code(), "the client has canceled the call");
        }
        if (holdsServer) {
            // the answer was written, or never will be
            holdsServer = false;
            stream.link().afterWrite(stream.owner().connection().server()::release);
        }
    }

    @Override
    public String serviceName() {
        return serviceName;
    }

    @Override
    public String methodName() {
        return methodName;
    }

    @Override
    public void prepare(ServerCall prepared) {
        call = prepared;
        if (timeoutMs < Integer.MAX_VALUE) {
            prepared.setTimeoutMs(timeoutMs);
        }
        Http2Headers headers = stream.headers();
        if (stream.isGzip()) {
            prepared.setRequestCompressCode(CompressType.GZIP.code());
        }
        Long logId = headers.getLong(GrpcNames.LOG_ID);
        if (logId != null) {
            prepared.setLogId(logId);
        }
        CharSequence requestId = headers.get(GrpcNames.REQUEST_ID);
        if (requestId != null) {
            prepared.setRequestId(requestId.toString());
        }
        Metadata.read(headers, prepared.requestUserFields());
    }

    @Override
    public long waitingBytes() {
        // asked in the turn, which may have answers left that it can send
        var _ = stream.link().hasRoom(stream.owner().answers());
        return stream.owner().answers().now();
    }

    @Override
    public Message decode(Message prototype) throws IOException {
        try {
            return received.poll(prototype);
        } catch (RpcException e) {
            throw new IOException(e.text(), e);
        }
    }

    @Override
    public void open(StreamEvents told) {
        events = told;
        told.onReadable();
        stream.link()
                .execute(
                        () -> {
                            if (isOver) {
                                told.onOver(
                                        RpcError.ECANCELED.code(),
                                        "the client has canceled the call");
                            }
                        });
    }

    @Override
    public MessageSource requests() {
        return received;
    }

    @Override
    public MessageSink responses() {
        return sent;
    }

    private boolean isGzip() {
        return call.responseCompressCode() == CompressType.GZIP.code() && stream.acceptsGzip();
    }

    @Override
    public void answer(ServerCall answered, Message response) {
        isAnswered = true;
        received.close();
        Map<String, String> fields = new HashMap<>(answered.responseUserFields());
        if (answered.failed()) {
            fail(answered.errorCode(), answered.errorText(), fields);
            return;
        }
        if (hasManyResponses) {
            end(GrpcStatus.OK, 0, "", fields);
            return;
        }
        try {
            boolean isGzip = isGzip();
            ByteBuf bytes =
                    Messages.encode(response, isGzip, stream.owner().connection().server().pool());
            stream.link().execute(() -> stream.writeResponse(bytes, fields, isGzip));
            end(GrpcStatus.OK, 0, "", fields);
        } catch (Throwable e) {
            // the response's own code may throw anything
            String what = "the response cannot be written";
            Faults.warn(GrpcCall.class, what, answered, e);
            fail(RpcError.EINTERNAL.code(), Faults.describe(what, e), Map.of());
        }
    }

    private void fail(int errorCode, String text, Map<String, String> fields) {
        // a service may have failed for another reason after that
        boolean isTooLarge = received.isTooLarge() && errorCode == RpcError.EREQUEST.code();
        GrpcStatus status =
                isTooLarge ? GrpcStatus.RESOURCE_EXHAUSTED : GrpcStatus.ofError(errorCode);
        end(status, errorCode, text, fields);
    }

    private void end(GrpcStatus status, int errorCode, String text, Map<String, String> fields) {
        stream.link()
                .execute(
                        () -> {
                            stream.owner().left();
                            stream.finish(status, errorCode, text, fields);
                        });
    }

    /** The requests, as the stream brings them. */
    private final class Requests implements ReceivedMessages.Stream {
        @Override
        public void credit(int bytes) {
            stream.credit(bytes);
        }

        @Override
        public void execute(Runnable task) {
            stream.link().execute(task);
        }

        @Override
        public void onReadable() {
            events.onReadable();
        }
    }

    /** The responses, as the stream takes them. */
    private final class Responses implements SentMessages.Stream {
        private boolean isBegun;

        @Override
        public void write(ByteBuf message, Runnable onWritten) {
            // what the service sets later goes with the status
            Map<String, String> fields =
                    isBegun ? Map.of() : new HashMap<>(call.responseUserFields());
            isBegun = true;
            boolean isGzip = isGzip();
            stream.link().execute(() -> stream.writeMessage(message, fields, isGzip, onWritten));
        }

        @Override
        public boolean hasRoom() {
            return stream.owner().answers().hasRoom();
        }

        @Override
        public void awaitRoom(Runnable waiter) {
            stream.owner().answers().await(waiter);
        }

        @Override
        public void onWritable() {
            events.onWritable();
        }

        /** The answer ends them. */
        @Override
        public void end() {}
    }
}
