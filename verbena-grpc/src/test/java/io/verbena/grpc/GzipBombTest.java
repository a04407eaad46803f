// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.StreamReader;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Small compressed messages that are huge when decompressed: the call fails, and nothing else. */
class GzipBombTest {
    private static final long LIMIT = 100_000;
    private static final ByteString HUGE = ByteString.copyFrom(new byte[32 << 20]);

    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    /** A client of grpc-java whose requests are such messages. */
    private GrpcPeer hostileClient() {
        fixture.serverFlags().set(RpcFlag.MAX_BODY_SIZE, LIMIT);
        return fixture.peer(fixture.server(new EchoResponder(), ServerOptions.DEFAULT));
    }

    private static CallOptions compressed() {
        return CallOptions.DEFAULT.withCompression("gzip");
    }

    private static EchoRequest bomb() {
        return EchoRequest.newBuilder().setData(HUGE).build();
    }

    @Test
    void shouldRefuseARequest() {
        GrpcPeer peer = hostileClient();

        assertThatThrownBy(() -> peer.echo(bomb(), compressed()))
                .satisfies(
                        e ->
                                assertThat(Status.fromThrowable(e).getCode())
                                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
        assertThat(peer.echo("next").getMessage()).isEqualTo("next");
    }

    @Test
    void shouldRefuseARequestOfAStream() throws Exception {
        GrpcPeer peer = hostileClient();
        CompletableFuture<Status> status = new CompletableFuture<>();
        StreamObserver<EchoRequest> requests =
                ClientCalls.asyncClientStreamingCall(
                        peer.channel().newCall(GrpcPeer.COLLECT, compressed()),
                        new StreamObserver<EchoResponse>() {
                            @Override
                            public void onNext(EchoResponse response) {}

                            @Override
                            public void onError(Throwable failure) {
                                status.complete(Status.fromThrowable(failure));
                            }

                            @Override
                            public void onCompleted() {
                                status.complete(Status.OK);
                            }
                        });
        requests.onNext(EchoRequest.newBuilder().setMessage("harmless").build());
        requests.onNext(bomb());
        requests.onCompleted();

        assertThat(status.get(60, TimeUnit.SECONDS).getCode())
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(peer.echo("next").getMessage()).isEqualTo("next");
    }

    /** Answers with such a message, unless the request has a text. */
    private static void answer(EchoRequest request, StreamObserver<EchoResponse> responses) {
        ((ServerCallStreamObserver<EchoResponse>) responses).setCompression("gzip");
        responses.onNext(
                EchoResponse.newBuilder()
                        .setMessage(request.getMessage())
                        .setData(request.getMessage().isEmpty() ? HUGE : ByteString.EMPTY)
                        .build());
        responses.onCompleted();
    }

    private static Server hostileServer() throws IOException {
        return NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(
                        ServerServiceDefinition.builder("test.EchoService")
                                .addMethod(
                                        GrpcPeer.ECHO,
                                        ServerCalls.asyncUnaryCall(GzipBombTest::answer))
                                .addMethod(
                                        GrpcPeer.REPEAT,
                                        ServerCalls.asyncServerStreamingCall(GzipBombTest::answer))
                                .build())
                .build()
                .start();
    }

    private static void expectLimit(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> assertThat(e.code()).isEqualTo(RpcError.ERESPONSE.code()))
                .hasMessageContaining(Long.toString(LIMIT));
    }

    @Test
    void shouldRefuseResponses() throws IOException {
        fixture.clientFlags().set(RpcFlag.MAX_BODY_SIZE, LIMIT);
        Server server = hostileServer();
        try {
            Channel channel = fixture.channel(server.getPort(), ChannelOptions.DEFAULT);
            EchoRequest any = EchoRequest.getDefaultInstance();
            EchoRequest text = EchoRequest.newBuilder().setMessage("next").build();

            expectLimit(() -> channel.call(EchoService.Methods.ECHO, any));
            try (StreamReader<EchoResponse> responses =
                    channel.serverStream(EchoService.Methods.REPEAT, any)) {
                expectLimit(responses::next);
            }
            assertThat(channel.call(EchoService.Methods.ECHO, text).getMessage()).isEqualTo("next");
        } finally {
            server.shutdownNow();
        }
    }
}
