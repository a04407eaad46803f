// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.BidirectionalCall;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClientStreamCall;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.StreamReader;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Our channel calls grpc-java's server. */
class GrpcClientTest {
    private static final int LARGE = 8 << 20;

    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final GrpcServerPeer server = new GrpcServerPeer();
    private Channel channel = fixture.channel(server.port(), ChannelOptions.DEFAULT);

    @AfterEach
    void close() {
        fixture.close();
        server.close();
    }

    private static EchoRequest text(String text) {
        return EchoRequest.newBuilder().setMessage(text).build();
    }

    private EchoResponse echo(EchoRequest request) {
        return channel.call(EchoService.Methods.ECHO, request);
    }

    @Test
    void shouldCall() {
        assertThat(echo(text("hello")).getMessage()).isEqualTo("hello");
        assertThat(echo(text("")).getMessage()).isEmpty();
    }

    @Test
    void shouldCarryLargeMessages() {
        byte[] bytes = new byte[LARGE];
        new Random(2).nextBytes(bytes);

        EchoResponse response =
                echo(EchoRequest.newBuilder().setData(ByteString.copyFrom(bytes)).build());

        assertThat(response.getData().toByteArray()).isEqualTo(bytes);
    }

    @Test
    void shouldMakeManyCallsAtTheSameTime() throws Exception {
        List<CompletableFuture<EchoResponse>> futures = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            futures.add(channel.callAsync(EchoService.Methods.ECHO, text("call " + i)));
        }

        for (int i = 0; i < futures.size(); i++) {
            assertThat(futures.get(i).get(20, TimeUnit.SECONDS).getMessage())
                    .isEqualTo("call " + i);
        }
    }

    @Test
    void shouldCarryMetadataAndCompress() {
        try (ClientCall call = channel.newCall()) {
            call.requestUserFields().put("tenant", "blue");
            call.setRequestCompressType(CompressType.GZIP);

            EchoResponse response =
                    channel.call(EchoService.Methods.ECHO, text("a".repeat(100_000)), call);

            assertThat(response.getMessage()).hasSize(100_000);
            assertThat(response.getFieldsOrThrow("tenant")).isEqualTo("blue");
            assertThat(response.getFieldsOrThrow("deadline")).isEqualTo("true");
        }
    }

    @Test
    void shouldFailWithTheServersStatus() {
        assertFailure(Status.Code.NOT_FOUND, RpcError.ENOENT.code());
        assertFailure(Status.Code.UNIMPLEMENTED, RpcError.ENOMETHOD.code());
        assertFailure(Status.Code.UNAUTHENTICATED, RpcError.ERPCAUTH.code());
        assertFailure(Status.Code.DATA_LOSS, RpcError.ERESPONSE.code());
    }

    private void assertFailure(Status.Code status, int code) {
        EchoRequest failing =
                EchoRequest.newBuilder()
                        .setFailWith(status.value())
                        .setMessage("größer: 100 %")
                        .build();
        try (ClientCall call = channel.newCall()) {
            call.setMaxRetry(0);
            assertThatThrownBy(() -> channel.call(EchoService.Methods.ECHO, failing, call))
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> {
                                assertThat(e.code()).isEqualTo(code);
                                assertThat(e.text()).contains("größer: 100 %");
                            });
        }
    }

    @Test
    void shouldEndAtTheDeadlineAndTellTheServer() throws Exception {
        try (ClientCall call = channel.newCall()) {
            call.setTimeoutMs(3_000);
            EchoRequest waiting =
                    EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build();

            assertThatThrownBy(() -> channel.call(EchoService.Methods.ECHO, waiting, call))
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code()));
        }
        assertThat(server.canceled.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldCancel() throws Exception {
        try (ClientCall call = channel.newCall()) {
            EchoRequest waiting =
                    EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build();
            CompletableFuture<EchoResponse> future =
                    channel.callAsync(EchoService.Methods.ECHO, waiting, call);
            assertThat(server.entered.await(20, TimeUnit.SECONDS)).isTrue();

            call.startCancel();

            assertThatThrownBy(() -> future.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.ECANCELED.code()));
        }
        assertThat(server.canceled.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(echo(text("next")).getMessage()).isEqualTo("next");
    }

    @Test
    void shouldFailIfNobodyListens() {
        server.close();

        assertThatThrownBy(() -> echo(text("x")))
                .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(RpcError.EHOSTDOWN.code());
                            assertThat(e.text()).contains("[E111]");
                        });
    }

    @Test
    void shouldReadManyResponses() {
        try (StreamReader<EchoResponse> responses =
                channel.serverStream(
                        EchoService.Methods.REPEAT,
                        EchoRequest.newBuilder().setMessage("r").setCount(5000).build())) {
            int next = 0;
            for (EchoResponse response : responses) {
                assertThat(response.getMessage()).isEqualTo("r" + next++);
            }
            assertThat(next).isEqualTo(5000);
        }
    }

    @Test
    void shouldReadManyLargeResponses() {
        ByteString megabyte = ByteString.copyFrom(new byte[1 << 20]);
        try (StreamReader<EchoResponse> responses =
                channel.serverStream(
                        EchoService.Methods.REPEAT,
                        EchoRequest.newBuilder().setData(megabyte).setCount(16).build())) {
            int count = 0;
            for (EchoResponse response : responses) {
                assertThat(response.getData()).isEqualTo(megabyte);
                count++;
            }
            assertThat(count).isEqualTo(16);
        }
    }

    @Test
    void shouldFailAfterTheLastResponse() {
        try (StreamReader<EchoResponse> responses =
                channel.serverStream(
                        EchoService.Methods.REPEAT,
                        EchoRequest.newBuilder()
                                .setMessage("r")
                                .setCount(2)
                                .setFailWith(Status.Code.NOT_FOUND.value())
                                .build())) {
            assertThat(responses.next().getMessage()).isEqualTo("r0");
            assertThat(responses.next().getMessage()).isEqualTo("r1");
            assertThatThrownBy(responses::hasNext)
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.ENOENT.code()));
        }
    }

    @Test
    void shouldTellTheServerThatItReadsNoMore() throws Exception {
        ByteString chunk = ByteString.copyFrom(new byte[10_000]);
        try (StreamReader<EchoResponse> responses =
                channel.serverStream(
                        EchoService.Methods.REPEAT,
                        EchoRequest.newBuilder().setData(chunk).setCount(1_000_000).build())) {
            assertThat(responses.next().getData()).isEqualTo(chunk);
        }

        assertThat(server.canceled.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(echo(text("next")).getMessage()).isEqualTo("next");
    }

    @Test
    void shouldSendManyRequests() {
        ByteString chunk = ByteString.copyFrom(new byte[100_000]);
        try (ClientStreamCall<EchoRequest, EchoResponse> call =
                channel.clientStream(EchoService.Methods.COLLECT)) {
            for (int i = 0; i < 200; i++) {
                call.requests()
                        .write(EchoRequest.newBuilder().setMessage(i + ",").setData(chunk).build());
            }

            EchoResponse response = call.finish();

            assertThat(response.getMessage()).startsWith("0,1,2,").endsWith("198,199,");
            assertThat(response.getFieldsOrThrow("bytes")).isEqualTo("20000000");
        }
    }

    @Test
    void shouldChat() {
        try (BidirectionalCall<EchoRequest, EchoResponse> chat =
                channel.bidirectional(EchoService.Methods.CHAT)) {
            for (String word : List.of("one", "two", "three")) {
                chat.requests().write(text(word));
                assertThat(chat.responses().next().getMessage()).isEqualTo(word);
            }
            chat.requests().close();
            assertThat(chat.responses().hasNext()).isFalse();
        }
    }

    @Test
    void shouldGoElsewhereAfterGoAway() throws Exception {
        CompletableFuture<EchoResponse> waiting =
                channel.callAsync(
                        EchoService.Methods.ECHO,
                        EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build());
        assertThat(server.entered.await(20, TimeUnit.SECONDS)).isTrue();

        server.close();

        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(RpcException.class);
        assertThatThrownBy(() -> echo(text("x"))).isInstanceOf(RpcException.class);
    }
}
