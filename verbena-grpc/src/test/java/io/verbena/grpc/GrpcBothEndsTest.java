// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
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
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.StreamReader;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our channel calls our server, over TCP and over RDMA. */
class GrpcBothEndsTest {
    private static EchoRequest text(String text) {
        return EchoRequest.newBuilder().setMessage(text).build();
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldCall(SocketMode mode) {
        try (GrpcFixture fixture = new GrpcFixture(mode)) {
            Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel = fixture.channel(server.address().getPort(), ChannelOptions.DEFAULT);
            try (ClientCall call = channel.newCall()) {
                call.setRequestCompressType(CompressType.GZIP);
                call.requestUserFields().put("tenant", "blue");

                EchoResponse response = channel.call(EchoService.Methods.ECHO, text("hello"), call);

                assertThat(response.getMessage()).isEqualTo("hello");
                assertThat(response.getFieldsOrThrow("tenant")).isEqualTo("blue");
                assertThat(call.responseUserFields()).containsEntry("answered-by", "verbena");
                assertThat(call.isRdma()).isEqualTo(mode == SocketMode.RDMA);
            }
            ByteString large = ByteString.copyFrom(new byte[8 << 20]);
            assertThat(
                            channel.call(
                                            EchoService.Methods.ECHO_INLINE,
                                            EchoRequest.newBuilder().setData(large).build())
                                    .getData())
                    .isEqualTo(large);
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldStream(SocketMode mode) {
        try (GrpcFixture fixture = new GrpcFixture(mode)) {
            Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel = fixture.channel(server.address().getPort(), ChannelOptions.DEFAULT);
            try (StreamReader<EchoResponse> responses =
                    channel.serverStream(
                            EchoService.Methods.REPEAT,
                            EchoRequest.newBuilder().setMessage("r").setCount(2000).build())) {
                int next = 0;
                for (EchoResponse response : responses) {
                    assertThat(response.getMessage()).isEqualTo("r" + next++);
                }
                assertThat(next).isEqualTo(2000);
            }
            try (ClientStreamCall<EchoRequest, EchoResponse> call =
                    channel.clientStream(EchoService.Methods.COLLECT)) {
                for (int i = 0; i < 2000; i++) {
                    call.requests().write(text(i + ","));
                }
                assertThat(call.finish().getMessage()).endsWith("1998,1999,");
            }
            try (BidirectionalCall<EchoRequest, EchoResponse> chat =
                    channel.bidirectional(EchoService.Methods.CHAT)) {
                for (int i = 0; i < 200; i++) {
                    chat.requests().write(text("m" + i));
                    assertThat(chat.responses().next().getMessage()).isEqualTo("m" + i);
                }
                chat.requests().close();
                assertThat(chat.responses().hasNext()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldKeepBrpcsOwnErrorCodes(SocketMode mode) {
        try (GrpcFixture fixture = new GrpcFixture(mode)) {
            Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            Channel channel = fixture.channel(server.address().getPort(), ChannelOptions.DEFAULT);

            assertThatThrownBy(
                            () ->
                                    channel.call(
                                            EchoService.Methods.ECHO,
                                            EchoRequest.newBuilder().setFailWith(4711).build()))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.code()).isEqualTo(4711));
        }
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldFinishTheCallAndRefuseTheNextWhenTheServerStops(SocketMode mode) throws Exception {
        EchoResponder service = new EchoResponder();
        try (GrpcFixture fixture = new GrpcFixture(mode)) {
            Server server = fixture.server(service, ServerOptions.DEFAULT);
            Channel channel = fixture.channel(server.address().getPort(), ChannelOptions.DEFAULT);
            CompletableFuture<EchoResponse> waiting =
                    channel.callAsync(
                            EchoService.Methods.ECHO,
                            EchoRequest.newBuilder()
                                    .setSleepMs(EchoResponder.WAITING)
                                    .setMessage("late")
                                    .build());
            assertThat(service.entered.await(20, TimeUnit.SECONDS)).isTrue();

            server.stop();
            try {
                assertThatThrownBy(() -> channel.call(EchoService.Methods.ECHO, text("x")))
                        .isInstanceOfSatisfying(
                                RpcException.class,
                                e ->
                                        assertThat(e.code())
                                                .isIn(
                                                        RpcError.ELOGOFF.code(),
                                                        RpcError.EHOSTDOWN.code()));
            } finally {
                service.gate.countDown();
            }

            assertThat(waiting.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("late");
        }
    }
}
