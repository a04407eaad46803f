// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Iterator;

/**
 * gRPC over Netty, without TLS. Callbacks and non-blocking services run on the event loops, its
 * fastest mode; with blocking stubs and ordinary services, executors and windows are the defaults.
 */
public final class GrpcSystem implements EchoSystem {
    private static final String SERVICE = "verbena.compare.EchoService";

    /** As much as the other systems may have in flight. */
    private static final int WINDOW = 8 << 20;

    /** The default is less than the largest message. */
    private static final int MOST_BYTES = 16 << 20;

    private static final MethodDescriptor<BytesValue, BytesValue> ECHO =
            method("Echo", MethodType.UNARY, BytesValue.getDefaultInstance());
    private static final MethodDescriptor<Int32Value, BytesValue> REPEAT =
            method("Repeat", MethodType.SERVER_STREAMING, Int32Value.getDefaultInstance());

    /** For {@link java.util.ServiceLoader}. */
    public GrpcSystem() {}

    private static <Q extends Message> MethodDescriptor<Q, BytesValue> method(
            String name, MethodType type, Q request) {
        return MethodDescriptor.newBuilder(
                        ProtoUtils.marshaller(request),
                        ProtoUtils.marshaller(BytesValue.getDefaultInstance()))
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .build();
    }

    @Override
    public String name() {
        return "grpc-java";
    }

    @Override
    public int serve(Contestant contestant) throws IOException {
        ServerServiceDefinition service =
                ServerServiceDefinition.builder(SERVICE)
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall(GrpcSystem::answer))
                        .addMethod(REPEAT, ServerCalls.asyncServerStreamingCall(GrpcSystem::repeat))
                        .build();
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        if (contestant.service() == ServiceKind.NONBLOCKING) {
            builder.directExecutor();
        }
        if (!contestant.caller().isBlocking()) {
            builder.flowControlWindow(WINDOW);
        }
        return builder.maxInboundMessageSize(MOST_BYTES)
                .addService(service)
                .build()
                .start()
                .getPort();
    }

    private static void answer(BytesValue request, StreamObserver<BytesValue> answers) {
        answers.onNext(BytesValue.of(request.getValue()));
        answers.onCompleted();
    }

    /** Writes whenever there is room, as gRPC's manual for flow control does. */
    private static void repeat(Int32Value bytes, StreamObserver<BytesValue> responses) {
        BytesValue message = BytesValue.of(ByteString.copyFrom(new byte[bytes.getValue()]));
        ServerCallStreamObserver<BytesValue> writer =
                (ServerCallStreamObserver<BytesValue>) responses;
        writer.setOnReadyHandler(
                () -> {
                    while (writer.isReady() && !writer.isCancelled()) {
                        writer.onNext(message);
                    }
                });
        // without a handler, writing after the client has enough throws
        writer.setOnCancelHandler(() -> {});
    }

    @Override
    public EchoClient connect(Contestant contestant, int port) {
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .maxInboundMessageSize(MOST_BYTES);
        if (!contestant.caller().isBlocking()) {
            builder.directExecutor().flowControlWindow(WINDOW);
        }
        return new GrpcClient(builder, builder.build());
    }

    private record GrpcClient(NettyChannelBuilder builder, ManagedChannel channel)
            implements EchoClient {
        @Override
        public EchoClient sibling() {
            return new GrpcClient(builder, builder.build());
        }

        @Override
        public Caller caller(int bytes, Outcome outcome) {
            return new GrpcCaller(channel, bytes, outcome);
        }

        /** Calls as generated blocking stubs do. */
        @Override
        public BlockingCaller blockingCaller(int bytes) {
            BytesValue request = BytesValue.of(ByteString.copyFrom(new byte[bytes]));
            return () ->
                    ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, request)
                            .getValue()
                            .size();
        }

        /** Reads as the iterator of generated blocking stubs does. */
        @Override
        public MessageStream stream(int bytes) {
            Context.CancellableContext context = Context.current().withCancellation();
            Context before = context.attach();
            try {
                Iterator<BytesValue> messages =
                        ClientCalls.blockingServerStreamingCall(
                                channel, REPEAT, CallOptions.DEFAULT, Int32Value.of(bytes));
                return new GrpcStream(context, messages);
            } finally {
                context.detach(before);
            }
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }

    private record GrpcStream(Context.CancellableContext context, Iterator<BytesValue> messages)
            implements EchoClient.MessageStream {
        @Override
        public int next() {
            return messages.next().getValue().size();
        }

        @Override
        public void close() {
            context.close();
        }
    }

    /**
     * Reports the outcome when the call is over, not when the message arrives: only then may it
     * call again.
     */
    private static final class GrpcCaller implements EchoClient.Caller, StreamObserver<BytesValue> {
        private final ManagedChannel channel;
        private final EchoClient.Outcome outcome;
        private final BytesValue request;
        private int received;

        GrpcCaller(ManagedChannel channel, int bytes, EchoClient.Outcome outcome) {
            this.channel = channel;
            this.outcome = outcome;
            this.request = BytesValue.of(ByteString.copyFrom(new byte[bytes]));
        }

        @Override
        public void call() {
            ClientCalls.asyncUnaryCall(channel.newCall(ECHO, CallOptions.DEFAULT), request, this);
        }

        @Override
        public void onNext(BytesValue response) {
            received = response.getValue().size();
        }

        @Override
        public void onCompleted() {
            outcome.onAnswer(received);
        }

        @Override
        public void onError(Throwable failure) {
            outcome.onFailure(failure.toString());
        }
    }
}
