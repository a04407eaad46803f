// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.testing.LeavingEcho;
import io.verbena.rpc.testing.LeavingServerConformance;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** HTTP when a server leaves the list of a channel. */
class HttpLeavingServerTest extends LeavingServerConformance {
    @Override
    protected LeavingEcho open(SocketMode mode) {
        return new HttpEcho(mode);
    }

    private static final class HttpEcho implements LeavingEcho {
        private static final String HELD = "held";

        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch gate = new CountDownLatch(1);
        private final HttpFixture fixture;

        HttpEcho(SocketMode mode) {
            fixture = new HttpFixture(mode);
        }

        @Override
        public Server server() {
            return fixture.server(new Holding(), ServerOptions.DEFAULT);
        }

        @Override
        public Channel cluster(String url) {
            return fixture.hastyCluster(url, 100, 10_000);
        }

        @Override
        public ClientProtocol client(BooleanSupplier isListed) {
            return new HttpClient(fixture.view(isListed));
        }

        @Override
        public MethodDescriptor method() {
            return EchoService.Methods.ECHO.descriptor();
        }

        @Override
        public EchoRequest request(String text) {
            return EchoRequest.newBuilder().setMessage(text).build();
        }

        @Override
        public Message response() {
            return EchoResponse.getDefaultInstance();
        }

        @Override
        public CompletableFuture<? extends Message> hold(Channel channel, ClientCall call)
                throws InterruptedException {
            CompletableFuture<EchoResponse> held =
                    channel.callAsync(EchoService.Methods.ECHO, request(HELD), call);
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
            return held;
        }

        @Override
        public void release() {
            gate.countDown();
        }

        @Override
        public void close() {
            release();
            fixture.close();
        }

        /** Waits before it answers the call that is to be held. */
        private final class Holding extends EchoResponder {
            @Override
            public EchoResponse echo(Call call, EchoRequest request) {
                if (request.getMessage().equals(HELD)) {
                    entered.countDown();
                    try {
                        gate.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return super.echo(call, request);
            }
        }
    }
}
