// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RetryPolicy;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.testing.ClientFaultsConformance;
import io.verbena.rpc.testing.FaultyEcho;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Throws everything at every call into foreign code of a channel that speaks HTTP. */
class HttpClientFaultsTest extends ClientFaultsConformance {
    @Override
    protected FaultyEcho open() {
        return new HttpEcho();
    }

    /** The timer keeps the deadlines of others. */
    @Test
    void shouldNotRetryOnTheTimersThread() {
        List<String> threads = new CopyOnWriteArrayList<>();
        AtomicInteger failures = new AtomicInteger();
        // every other failure is followed by a try
        RetryPolicy once = code -> failures.getAndIncrement() % 2 == 0;
        Message request =
                Thrown.UNCHECKED.in(
                        Message.class,
                        EchoRequest.newBuilder().setMessage("x").setFailWith(BUSY).build(),
                        () -> {
                            threads.add(Thread.currentThread().getName());
                            return false;
                        },
                        "getDescriptorForType");
        try (FaultyEcho echo = open()) {
            for (RetryPolicy policy : List.of(once, once.withFixedBackoff(1))) {
                threads.clear();
                Channel channel = echo.channel(ChannelOptions.DEFAULT.withRetryPolicy(policy));
                RpcMethod<Message, Message> method =
                        RpcMethod.of(
                                echo.method(), EchoRequest.getDefaultInstance(), echo.response());

                assertThatThrownBy(() -> channel.call(method, request))
                        .isInstanceOf(RpcException.class);

                assertThat(threads).doesNotContain("verbena-rpc-stream-timer");
                assertThat(threads).contains("verbena-rpc-worker");
            }
        }
    }

    private static final class HttpEcho implements FaultyEcho {
        private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch gate = new CountDownLatch(1);
        private final Server server = fixture.server(new Holding(), ServerOptions.DEFAULT);

        @Override
        public Channel channel(ChannelOptions options) {
            return fixture.httpChannel(server, options);
        }

        @Override
        public MethodDescriptor method() {
            return EchoService.Methods.ECHO.descriptor();
        }

        @Override
        public EchoRequest request(String text, int failWith) {
            EchoRequest.Builder request = EchoRequest.newBuilder().setMessage(text);
            return failWith == 0 ? request.build() : request.setFailWith(failWith).build();
        }

        @Override
        public Message response() {
            return EchoResponse.getDefaultInstance();
        }

        @Override
        public String encoderMethod() {
            return "getDescriptorForType";
        }

        @Override
        public String[] parserMethods() {
            return new String[] {"newBuilderForType", "getParserForType"};
        }

        @Override
        public CompletableFuture<? extends Message> hold(Channel channel)
                throws InterruptedException {
            CompletableFuture<EchoResponse> held =
                    channel.callAsync(EchoService.Methods.ECHO, request("hold", 0));
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
            return held;
        }

        @Override
        public void release() {
            gate.countDown();
        }

        @Override
        public void checkServer() {
            Eventually.become(() -> server.concurrency() == 0, () -> "calls of the server");
        }

        @Override
        public void close() {
            release();
            fixture.close();
        }

        /** Keeps one call until the gate opens. */
        private final class Holding extends EchoResponder {
            @Override
            public EchoResponse echo(Call call, EchoRequest request) {
                if (request.getMessage().equals("hold")) {
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
