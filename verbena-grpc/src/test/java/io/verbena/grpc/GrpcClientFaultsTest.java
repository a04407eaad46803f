// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.testing.ClientFaultsConformance;
import io.verbena.rpc.testing.FaultyEcho;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Throws everything at every call into foreign code of a channel that speaks gRPC. */
class GrpcClientFaultsTest extends ClientFaultsConformance {
    @Override
    protected FaultyEcho open() {
        return new GrpcEcho();
    }

    private static final class GrpcEcho implements FaultyEcho {
        private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
        private final EchoResponder service = new EchoResponder();
        private final Server server = fixture.server(service, ServerOptions.DEFAULT);

        @Override
        public Channel channel(ChannelOptions options) {
            return fixture.channel(server.address().getPort(), options);
        }

        @Override
        public MethodDescriptor method() {
            return EchoService.Methods.ECHO.descriptor();
        }

        @Override
        public EchoRequest request(String text, int failWith) {
            return EchoRequest.newBuilder().setMessage(text).setFailWith(failWith).build();
        }

        @Override
        public Message response() {
            return EchoResponse.getDefaultInstance();
        }

        @Override
        public String encoderMethod() {
            return "writeTo";
        }

        @Override
        public String[] parserMethods() {
            return new String[] {"getParserForType"};
        }

        @Override
        public CompletableFuture<? extends Message> hold(Channel channel)
                throws InterruptedException {
            EchoRequest request =
                    request("hold", 0).toBuilder().setSleepMs(EchoResponder.WAITING).build();
            CompletableFuture<EchoResponse> held =
                    channel.callAsync(EchoService.Methods.ECHO, request);
            assertThat(service.entered.await(20, TimeUnit.SECONDS)).isTrue();
            return held;
        }

        @Override
        public void release() {
            service.gate.countDown();
        }

        @Override
        public void checkServer() {
            assertThat(server.connections()).hasSize(1);
            Eventually.become(() -> server.concurrency() == 0, () -> "calls of the server");
        }

        @Override
        public void close() {
            release();
            fixture.close();
        }
    }
}
