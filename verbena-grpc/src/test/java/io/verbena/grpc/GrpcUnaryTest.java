// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.rpc.Authenticator;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** grpc-java's client calls our server, one request and one response. */
class GrpcUnaryTest {
    private static final int LARGE = 8 << 20;

    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final EchoResponder service = new EchoResponder();
    private Server server = fixture.server(service, ServerOptions.DEFAULT);
    private GrpcPeer peer = fixture.peer(server);

    @AfterEach
    void close() {
        service.gate.countDown();
        fixture.close();
    }

    private static EchoRequest request(String text) {
        return EchoRequest.newBuilder().setMessage(text).build();
    }

    private static Status statusOf(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
        return Status.OK;
    }

    @Test
    void shouldAnswer() {
        assertThat(peer.echo("hello").getMessage()).isEqualTo("hello");
        assertThat(
                        peer.call(GrpcPeer.ECHO_INLINE, request("inline"), CallOptions.DEFAULT)
                                .getMessage())
                .isEqualTo("inline");
        assertThat(peer.echo("").getMessage()).isEmpty();
    }

    @Test
    void shouldCarryLargeMessages() {
        byte[] bytes = new byte[LARGE];
        new Random(1).nextBytes(bytes);
        EchoRequest large = EchoRequest.newBuilder().setData(ByteString.copyFrom(bytes)).build();

        for (int i = 0; i < 3; i++) {
            assertThat(peer.echo(large, CallOptions.DEFAULT).getData().toByteArray())
                    .isEqualTo(bytes);
        }
    }

    @Test
    void shouldAnswerManyCallsAtTheSameTime() throws Exception {
        List<ListenableFuture<EchoResponse>> futures = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            futures.add(
                    ClientCalls.futureUnaryCall(
                            peer.channel().newCall(GrpcPeer.ECHO, CallOptions.DEFAULT),
                            request("call " + i)));
        }

        for (int i = 0; i < futures.size(); i++) {
            assertThat(futures.get(i).get(20, TimeUnit.SECONDS).getMessage())
                    .isEqualTo("call " + i);
        }
    }

    @Test
    void shouldCompress() {
        EchoRequest request = request("a".repeat(100_000));

        EchoResponse response = peer.echo(request, CallOptions.DEFAULT.withCompression("gzip"));

        assertThat(response.getMessage()).isEqualTo(request.getMessage());
        assertThat(response.getFieldsOrThrow("compression")).isEqualTo("GZIP");
    }

    @Test
    void shouldCarryMetadataBothWays() {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("tenant", Metadata.ASCII_STRING_MARSHALLER), "blue");
        headers.put(Metadata.Key.of("tenant", Metadata.ASCII_STRING_MARSHALLER), "green");
        headers.put(
                Metadata.Key.of("blob-bin", Metadata.BINARY_BYTE_MARSHALLER), new byte[] {1, 2, 3});
        AtomicReference<Metadata> gotHeaders = new AtomicReference<>();
        AtomicReference<Metadata> gotTrailers = new AtomicReference<>();

        EchoResponse response =
                ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(
                                peer.channel(),
                                MetadataUtils.newAttachHeadersInterceptor(headers),
                                MetadataUtils.newCaptureMetadataInterceptor(
                                        gotHeaders, gotTrailers)),
                        GrpcPeer.ECHO,
                        CallOptions.DEFAULT,
                        request("x"));

        assertThat(response.getFieldsOrThrow("tenant")).isEqualTo("blue,green");
        assertThat(response.getFieldsOrThrow("blob-bin")).isEqualTo("AQID");
        assertThat(response.getFieldsMap().keySet())
                .noneMatch(name -> name.startsWith(":") || name.startsWith("grpc-"));
        assertThat(
                        gotHeaders
                                .get()
                                .get(
                                        Metadata.Key.of(
                                                "answered-by", Metadata.ASCII_STRING_MARSHALLER)))
                .isEqualTo("verbena");
        assertThat(
                        gotHeaders
                                .get()
                                .get(Metadata.Key.of("trace-bin", Metadata.BINARY_BYTE_MARSHALLER)))
                .containsExactly(0, 1, 2, 3);
    }

    @Test
    void shouldPassTheDeadlineOn() {
        EchoResponse response =
                peer.echo(
                        request("x"), CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS));

        assertThat(Long.parseLong(response.getFieldsOrThrow("remaining"))).isBetween(1L, 30_000L);
        assertThat(peer.echo("x").getFieldsOrThrow("remaining"))
                .isEqualTo(Long.toString(Long.MAX_VALUE));
    }

    @Test
    void shouldCancelTheCallWhenTheDeadlineOfTheClientHasPassed() throws Exception {
        // the call has to reach the service in time
        assertThat(peer.echo("connect").getMessage()).isEqualTo("connect");
        EchoRequest waiting = EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build();

        Status status =
                statusOf(
                        () ->
                                peer.echo(
                                        waiting,
                                        CallOptions.DEFAULT.withDeadlineAfter(
                                                3, TimeUnit.SECONDS)));

        assertThat(status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        assertThat(service.canceled.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldTellTheServiceThatTheClientCanceled() throws Exception {
        EchoRequest waiting = EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build();
        ListenableFuture<EchoResponse> future =
                ClientCalls.futureUnaryCall(
                        peer.channel().newCall(GrpcPeer.ECHO, CallOptions.DEFAULT), waiting);
        assertThat(service.entered.await(20, TimeUnit.SECONDS)).isTrue();

        future.cancel(true);

        assertThat(service.canceled.await(20, TimeUnit.SECONDS)).isTrue();
        service.gate.countDown();
        assertThat(peer.echo("next").getMessage()).isEqualTo("next");
    }

    @Test
    void shouldMapErrors() {
        assertThat(fail(RpcError.EREQUEST.code())).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(fail(RpcError.ENOENT.code())).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(fail(1)).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(fail(RpcError.EINTERNAL.code())).isEqualTo(Status.Code.INTERNAL);
        assertThat(fail(RpcError.ELIMIT.code())).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(fail(4711)).isEqualTo(Status.Code.UNKNOWN);
    }

    private Status.Code fail(int code) {
        Status status =
                statusOf(
                        () ->
                                peer.echo(
                                        EchoRequest.newBuilder()
                                                .setFailWith(code)
                                                .setMessage("größer: 100 %")
                                                .build(),
                                        CallOptions.DEFAULT));
        assertThat(status.getDescription()).contains("größer: 100 %");
        return status.getCode();
    }

    @Test
    void shouldRefuseUnknownMethods() {
        var unknown =
                GrpcPeer.method(
                        "test.EchoService",
                        "Nothing",
                        MethodType.UNARY,
                        EchoRequest.getDefaultInstance(),
                        EchoResponse.getDefaultInstance());

        assertThat(statusOf(() -> peer.call(unknown, request("x"), CallOptions.DEFAULT)).getCode())
                .isEqualTo(Status.Code.UNIMPLEMENTED);
        assertThat(peer.echo("next").getMessage()).isEqualTo("next");
    }

    @Test
    void shouldRefuseMessagesThatAreTooLarge() {
        fixture.serverFlags().set(RpcFlag.MAX_BODY_SIZE, 100_000L);
        EchoRequest plain = request("a".repeat(100_001));
        EchoRequest packed = request("a".repeat(1_000_000));

        assertThat(statusOf(() -> peer.echo(plain, CallOptions.DEFAULT)).getCode())
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(
                        statusOf(
                                        () ->
                                                peer.echo(
                                                        packed,
                                                        CallOptions.DEFAULT.withCompression(
                                                                "gzip")))
                                .getCode())
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(peer.echo("next").getMessage()).isEqualTo("next");
    }

    @Test
    void shouldAuthenticate() {
        Server guarded =
                fixture.server(new EchoResponder(), ServerOptions.DEFAULT.withAuth(new Password()));
        GrpcPeer stranger = fixture.peer(guarded);
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "secret");

        assertThat(statusOf(() -> stranger.echo("x")).getCode())
                .isEqualTo(Status.Code.UNAUTHENTICATED);
        EchoResponse response =
                ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(
                                stranger.channel(),
                                MetadataUtils.newAttachHeadersInterceptor(headers)),
                        GrpcPeer.ECHO,
                        CallOptions.DEFAULT,
                        request("x"));
        assertThat(response.getMessage()).isEqualTo("x");
        // on the same connection, but without the credential
        assertThat(statusOf(() -> stranger.echo("x")).getCode())
                .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    private static final class Password implements Authenticator {
        @Override
        public byte[] generateCredential() {
            return "secret".getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return new String(credential, StandardCharsets.US_ASCII).equals("secret")
                    ? ""
                    : "wrong password";
        }
    }

    @Test
    void shouldFinishCallsWhenItStops() throws Exception {
        EchoRequest waiting =
                EchoRequest.newBuilder()
                        .setSleepMs(EchoResponder.WAITING)
                        .setMessage("late")
                        .build();
        ListenableFuture<EchoResponse> future =
                ClientCalls.futureUnaryCall(
                        peer.channel().newCall(GrpcPeer.ECHO, CallOptions.DEFAULT), waiting);
        assertThat(service.entered.await(20, TimeUnit.SECONDS)).isTrue();

        server.stop();
        service.gate.countDown();

        assertThat(future.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("late");
        server.join();
        assertThatThrownBy(() -> peer.echo("too late")).isInstanceOf(StatusRuntimeException.class);
    }
}
