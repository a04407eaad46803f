// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.Authenticator;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.testing.FreePort;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels that speak HTTP, with this project's own server. */
@ParameterizedClass
@EnumSource(SocketMode.class)
@Timeout(120)
class HttpClientTest {
    private final HttpFixture fixture;
    private final EchoResponder service = new EchoResponder();

    HttpClientTest(SocketMode mode) {
        this.fixture = new HttpFixture(mode);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Channel channel() {
        return fixture.httpChannel(fixture.server(service, ServerOptions.DEFAULT));
    }

    /** Knows one secret. */
    private static final class Secret implements Authenticator {
        private static final String VALUE = "Bearer x";

        @Override
        public byte[] generateCredential() {
            return VALUE.getBytes(StandardCharsets.ISO_8859_1);
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return new String(credential, StandardCharsets.ISO_8859_1).equals(VALUE) ? "" : "no";
        }
    }

    private static EchoRequest request(String message) {
        return EchoRequest.newBuilder().setMessage(message).build();
    }

    private static RpcException failure(Channel channel, EchoRequest request) {
        return catchThrowableOfType(
                RpcException.class, () -> new EchoServiceClient(channel).echo(request));
    }

    @Test
    void shouldCall() {
        EchoServiceClient client = new EchoServiceClient(channel());

        for (int i = 0; i < 100; i++) {
            EchoResponse response =
                    client.echo(
                            request("\u00e9" + i).toBuilder()
                                    .setData(ByteString.copyFromUtf8("\0x"))
                                    .build());
            assertThat(response.getMessage()).isEqualTo("\u00e9" + i);
            assertThat(response.getData()).isEqualTo(ByteString.copyFromUtf8("\0x"));
        }
    }

    @Test
    void shouldCarryLargeAndCompressedMessages() {
        Channel channel = channel();
        ByteString large = ByteString.copyFrom(new byte[3_000_000]);
        try (ClientCall call = channel.newCall()) {
            call.setRequestCompressType(CompressType.GZIP);
            EchoRequest request = request("x").toBuilder().setData(large).build();

            assertThat(new EchoServiceClient(channel).echo(request, call).getData())
                    .isEqualTo(large);
            assertThat(new EchoServiceClient(channel).echo(request).getData()).isEqualTo(large);
        }
    }

    @Test
    void shouldMakeManyCallsAtTheSameTime() throws Exception {
        EchoServiceClient client = new EchoServiceClient(channel());
        List<Future<String>> calls = new ArrayList<>();
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("test-", 0).factory())) {
            // fewer than max_newcomer_queue_pairs: each call makes a connection of its own
            for (int i = 0; i < 200; i++) {
                String text = "call " + i;
                calls.add(threads.submit(() -> client.echo(request(text)).getMessage()));
            }
            for (int i = 0; i < calls.size(); i++) {
                assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("call " + i);
            }
        }
    }

    @Test
    void shouldFailWithTheServersCode() {
        Channel channel = channel();

        RpcException wished = failure(channel, request("x").toBuilder().setFailWith(4711).build());
        assertThat(wished.code()).isEqualTo(4711);
        assertThat(wished.text()).isEqualTo("[E4711]as you wish");
        assertThat(new EchoServiceClient(channel).echo(request("next")).getMessage())
                .isEqualTo("next");
    }

    @Test
    void shouldEndAtTheDeadlineAndGoOn() {
        CountDownLatch release = new CountDownLatch(1);
        Channel channel =
                fixture.httpChannel(
                        fixture.server(EchoResponder.holding(release), ServerOptions.DEFAULT));
        try (ClientCall call = channel.newCall()) {
            call.setTimeoutMs(50);
            RpcException late =
                    catchThrowableOfType(
                            RpcException.class,
                            () -> new EchoServiceClient(channel).echo(request("held"), call));
            assertThat(late.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
        } finally {
            release.countDown();
        }
        // the late response must not be taken for that of the next call
        assertThat(new EchoServiceClient(channel).echo(request("next")).getMessage())
                .isEqualTo("next");
    }

    @Test
    void shouldConnectAgainWhenTheServerHasClosed() {
        int port = FreePort.choose();
        Server first = fixture.server(service, ServerOptions.DEFAULT, port);
        Channel channel = fixture.httpChannel(first);
        EchoServiceClient client = new EchoServiceClient(channel);
        assertThat(client.echo(request("a")).getMessage()).isEqualTo("a");
        first.close();
        assertThat(failure(channel, request("b"))).isNotNull();
        fixture.server(service, ServerOptions.DEFAULT, port);

        Eventually.become(() -> failure(channel, request("c")) == null, () -> "no answer");
    }

    @Test
    void shouldShowItsCredential() {
        Authenticator known = new Secret();
        Server server = fixture.server(service, ServerOptions.DEFAULT.withAuth(known));

        assertThat(
                        new EchoServiceClient(
                                        fixture.httpChannel(
                                                server, ChannelOptions.DEFAULT.withAuth(known)))
                                .echo(request("a"))
                                .getMessage())
                .isEqualTo("a");
        assertThat(failure(fixture.httpChannel(server), request("a")).code())
                .isIn(RpcError.ERPCAUTH.code(), RpcError.EHTTP.code());
    }

    @Test
    void shouldRefuseFieldsThatAreNoHeaders() {
        Channel channel = channel();
        for (String name : List.of("a b", "", "Content-Length", "x\r\ny")) {
            try (ClientCall call = channel.newCall()) {
                call.requestUserFields().put(name, "v");
                RpcException refused =
                        catchThrowableOfType(
                                RpcException.class,
                                () -> new EchoServiceClient(channel).echo(request("x"), call));
                assertThat(refused.code()).isEqualTo(RpcError.EREQUEST.code());
            }
        }
        assertThat(service.served()).isZero();
    }
}
