// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.testing.LeavingEcho;
import io.verbena.rpc.testing.LeavingServerConformance;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** gRPC when a server leaves the list of a channel, or takes no more calls. */
class GrpcLeavingServerTest extends LeavingServerConformance {
    @Override
    protected LeavingEcho open(SocketMode mode) {
        return new GrpcEcho(mode);
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldFinishAStreamThenClose(SocketMode mode) {
        try (GrpcEcho echo = new GrpcEcho(mode)) {
            Server leaving = echo.server();
            list(leaving);
            Channel channel = channel(echo);
            try (ClientCall call = channel.newCall()) {
                call.setTimeoutMs(30_000);
                var chat = channel.bidirectional(EchoService.Methods.CHAT, call);
                chat.requests().write(GrpcEcho.text("1"));
                assertThat(chat.responses().next().getMessage()).isEqualTo("1");
                // nothing is on the connection of this one: when it is closed, both were told
                Server idle = echo.server();
                list(leaving, idle);
                callUntilAt(echo, channel, idle);

                list(echo.server());
                awaitNoConnections(idle);

                chat.requests().write(GrpcEcho.text("2"));
                assertThat(chat.responses().next().getMessage()).isEqualTo("2");
                chat.close();
            }
            awaitNoConnections(leaving);
        }
    }

    @Test
    void shouldEndWhatIsOnAConnectionThatTakesNoMoreWithTheChannel() throws Exception {
        try (GrpcEcho echo = new GrpcEcho(SocketMode.TCP)) {
            Server stopping = echo.server();
            Channel channel = echo.channel(stopping);
            ClientCall call = channel.newCall();
            call.setTimeoutMs(30_000);
            CompletableFuture<? extends Message> held = echo.hold(channel, call);
            stopping.stop();
            // a call that fails has found the connection going away, or none
            Eventually.become(() -> isRefused(echo, channel), () -> "still answered");

            channel.close();

            assertThatThrownBy(() -> held.get(20, TimeUnit.SECONDS)).hasMessageContaining("ECLOSE");
            call.close();
        }
    }

    private static boolean isRefused(GrpcEcho echo, Channel channel) {
        try {
            call(echo, channel);
            return false;
        } catch (RpcException e) {
            return true;
        }
    }

    private static final class GrpcEcho implements LeavingEcho {
        private final EchoResponder responder = new EchoResponder();
        private final GrpcFixture fixture;

        GrpcEcho(SocketMode mode) {
            fixture = new GrpcFixture(mode);
        }

        static EchoRequest text(String text) {
            return EchoRequest.newBuilder().setMessage(text).build();
        }

        @Override
        public Server server() {
            return fixture.server(responder, ServerOptions.DEFAULT);
        }

        Channel channel(Server server) {
            return fixture.channel(server.address().getPort(), ChannelOptions.DEFAULT);
        }

        @Override
        public Channel cluster(String url) {
            return fixture.hastyCluster(url, 100, 10_000);
        }

        @Override
        public ClientProtocol client(BooleanSupplier isListed) {
            return new GrpcClient(fixture.view(isListed));
        }

        @Override
        public MethodDescriptor method() {
            return EchoService.Methods.ECHO.descriptor();
        }

        @Override
        public Message request(String text) {
            return text(text);
        }

        @Override
        public Message response() {
            return EchoResponse.getDefaultInstance();
        }

        @Override
        public CompletableFuture<? extends Message> hold(Channel channel, ClientCall call)
                throws InterruptedException {
            CompletableFuture<EchoResponse> held =
                    channel.callAsync(
                            EchoService.Methods.ECHO,
                            text("held").toBuilder().setSleepMs(EchoResponder.WAITING).build(),
                            call);
            assertThat(responder.entered.await(20, TimeUnit.SECONDS)).isTrue();
            return held;
        }

        @Override
        public void release() {
            responder.gate.countDown();
        }

        @Override
        public void close() {
            release();
            fixture.close();
        }
    }
}
