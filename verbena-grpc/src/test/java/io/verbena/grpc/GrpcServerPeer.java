// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server of grpc-java that does what {@link EchoResponder} does. */
final class GrpcServerPeer implements AutoCloseable {
    private static final Context.Key<String> TENANT = Context.key("tenant");
    private static final Metadata.Key<String> TENANT_HEADER =
            Metadata.Key.of("tenant", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LARGEST = 64 << 20;

    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch canceled = new CountDownLatch(1);
    private final Server server;

    GrpcServerPeer() {
        try {
            server =
                    NettyServerBuilder.forAddress(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .maxInboundMessageSize(LARGEST)
                            .addService(ServerInterceptors.intercept(definition(), new Headers()))
                            .build()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder("test.EchoService")
                .addMethod(GrpcPeer.ECHO, ServerCalls.asyncUnaryCall(this::echo))
                .addMethod(GrpcPeer.COLLECT, ServerCalls.asyncClientStreamingCall(Collector::new))
                .addMethod(GrpcPeer.REPEAT, ServerCalls.asyncServerStreamingCall(this::repeat))
                .addMethod(GrpcPeer.CHAT, ServerCalls.asyncBidiStreamingCall(this::chat))
                .build();
    }

    int port() {
        return server.getPort();
    }

    Server server() {
        return server;
    }

    private void echo(EchoRequest request, StreamObserver<EchoResponse> responses) {
        if (request.getFailWith() != 0) {
            responses.onError(
                    Status.fromCodeValue(request.getFailWith())
                            .withDescription(request.getMessage())
                            .asRuntimeException());
            return;
        }
        if (request.getSleepMs() == EchoResponder.WAITING) {
            ((ServerCallStreamObserver<EchoResponse>) responses)
                    .setOnCancelHandler(canceled::countDown);
            entered.countDown();
            return;
        }
        responses.onNext(
                EchoResponse.newBuilder()
                        .setMessage(request.getMessage())
                        .setData(request.getData())
                        .putFields("tenant", TENANT.get())
                        .putFields(
                                "deadline", String.valueOf(Context.current().getDeadline() != null))
                        .build());
        responses.onCompleted();
    }

    private void repeat(EchoRequest request, StreamObserver<EchoResponse> responses) {
        ServerCallStreamObserver<EchoResponse> writer =
                (ServerCallStreamObserver<EchoResponse>) responses;
        writer.setOnCancelHandler(canceled::countDown);
        int[] next = {0};
        writer.setOnReadyHandler(
                () -> {
                    while (writer.isReady() && next[0] < request.getCount()) {
                        writer.onNext(
                                EchoResponse.newBuilder()
                                        .setMessage(request.getMessage() + next[0]++)
                                        .setData(request.getData())
                                        .build());
                        if (next[0] == request.getCount()) {
                            if (request.getFailWith() != 0) {
                                writer.onError(
                                        Status.fromCodeValue(request.getFailWith())
                                                .asRuntimeException());
                            } else {
                                writer.onCompleted();
                            }
                        }
                    }
                });
    }

    private StreamObserver<EchoRequest> chat(StreamObserver<EchoResponse> responses) {
        ((ServerCallStreamObserver<EchoResponse>) responses)
                .setOnCancelHandler(canceled::countDown);
        return new StreamObserver<>() {
            @Override
            public void onNext(EchoRequest request) {
                responses.onNext(
                        EchoResponse.newBuilder().setMessage(request.getMessage()).build());
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {
                responses.onCompleted();
            }
        };
    }

    private static final class Collector implements StreamObserver<EchoRequest> {
        private final StreamObserver<EchoResponse> responses;
        private final StringBuilder all = new StringBuilder();
        private long bytes;

        Collector(StreamObserver<EchoResponse> responses) {
            this.responses = responses;
        }

        @Override
        public void onNext(EchoRequest request) {
            all.append(request.getMessage());
            bytes += request.getData().size();
        }

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {
            responses.onNext(
                    EchoResponse.newBuilder()
                            .setMessage(all.toString())
                            .putFields("bytes", Long.toString(bytes))
                            .build());
            responses.onCompleted();
        }
    }

    private static final class Headers implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            call.setCompression("gzip");
            call.setMessageCompression(headers.containsKey(TENANT_HEADER));
            String tenant = headers.get(TENANT_HEADER);
            return io.grpc.Contexts.interceptCall(
                    Context.current().withValue(TENANT, tenant == null ? "" : tenant),
                    call,
                    headers,
                    next);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
        try {
            if (!server.awaitTermination(20, TimeUnit.SECONDS)) {
                throw new AssertionError("the server does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
