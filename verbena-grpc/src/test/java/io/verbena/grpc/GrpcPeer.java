// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import java.util.concurrent.TimeUnit;

/** A client of grpc-java. */
final class GrpcPeer implements AutoCloseable {
    static final MethodDescriptor<EchoRequest, EchoResponse> ECHO = echo("Echo", MethodType.UNARY);
    static final MethodDescriptor<EchoRequest, EchoResponse> ECHO_INLINE =
            echo("EchoInline", MethodType.UNARY);
    static final MethodDescriptor<EchoRequest, EchoResponse> COLLECT =
            echo("Collect", MethodType.CLIENT_STREAMING);
    static final MethodDescriptor<EchoRequest, EchoResponse> REPEAT =
            echo("Repeat", MethodType.SERVER_STREAMING);
    static final MethodDescriptor<EchoRequest, EchoResponse> CHAT =
            echo("Chat", MethodType.BIDI_STREAMING);

    private static final int LARGEST = 64 << 20;

    private final ManagedChannel channel;

    GrpcPeer(int port) {
        this.channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .maxInboundMessageSize(LARGEST)
                        .build();
    }

    private static MethodDescriptor<EchoRequest, EchoResponse> echo(String name, MethodType type) {
        return method(
                "test.EchoService",
                name,
                type,
                EchoRequest.getDefaultInstance(),
                EchoResponse.getDefaultInstance());
    }

    static <Q extends Message, R extends Message> MethodDescriptor<Q, R> method(
            String service, String name, MethodType type, Q request, R response) {
        return MethodDescriptor.<Q, R>newBuilder()
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
                .setType(type)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(response))
                .build();
    }

    ManagedChannel channel() {
        return channel;
    }

    EchoResponse echo(EchoRequest request, CallOptions options) {
        return call(ECHO, request, options);
    }

    EchoResponse echo(String text) {
        return echo(EchoRequest.newBuilder().setMessage(text).build(), CallOptions.DEFAULT);
    }

    EchoResponse call(
            MethodDescriptor<EchoRequest, EchoResponse> method,
            EchoRequest request,
            CallOptions options) {
        return ClientCalls.blockingUnaryCall(channel, method, options, request);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            if (!channel.awaitTermination(20, TimeUnit.SECONDS)) {
                throw new AssertionError("the channel does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
