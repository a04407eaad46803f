// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoServiceClient;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.TestCertificates;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.ServerSslOptions;
import io.verbena.transport.SocketMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** gRPC through TLS: both sides agree on h2 by ALPN. */
@Timeout(60)
class GrpcTlsTest {
    @TempDir static Path folder;
    private static TestCertificates certificates;

    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private Server server;

    @BeforeAll
    static void makeCertificates() {
        certificates = TestCertificates.in(folder);
    }

    @BeforeEach
    void start() {
        ServerSslOptions ssl =
                ServerSslOptions.of(
                                certificates.file("server.pem"), certificates.file("server.key"))
                        .withPlainRefused(true);
        server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT.withSslOptions(ssl));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static EchoRequest request(String text) {
        return EchoRequest.newBuilder().setMessage(text).setCount(3).build();
    }

    @Test
    void shouldAnswerGrpcJavasClient() throws Exception {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.address().getPort())
                        .sslContext(
                                GrpcSslContexts.forClient()
                                        .trustManager(certificates.file("ca.pem").toFile())
                                        .build())
                        .build();
        try {
            assertThat(
                            ClientCalls.blockingUnaryCall(
                                            channel,
                                            GrpcPeer.ECHO,
                                            CallOptions.DEFAULT,
                                            request("a"))
                                    .getMessage())
                    .isEqualTo("a");
            List<String> repeated = new ArrayList<>();
            ClientCalls.blockingServerStreamingCall(
                            channel, GrpcPeer.REPEAT, CallOptions.DEFAULT, request("r"))
                    .forEachRemaining(response -> repeated.add(response.getMessage()));
            assertThat(repeated).containsExactly("r0", "r1", "r2");
        } finally {
            channel.shutdownNow();
            assertThat(channel.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void shouldRefuseGrpcJavasClientWithoutTls() {
        assertThatThrownBy(() -> fixture.peer(server).echo("a"))
                .isInstanceOf(StatusRuntimeException.class);
    }

    @Test
    void shouldCallWithAChannelOfItsOwn() {
        ChannelOptions trusting =
                ChannelOptions.DEFAULT.withSslOptions(
                        ClientSslOptions.DEFAULT.withCaFile(certificates.file("ca.pem")));

        assertThat(
                        new EchoServiceClient(fixture.channel(server.address().getPort(), trusting))
                                .echo(request("a"))
                                .getMessage())
                .isEqualTo("a");
    }

    @Test
    void shouldNotCallAServerItDoesNotTrust() {
        ChannelOptions distrusting =
                ChannelOptions.DEFAULT.withMaxRetry(0).withSslOptions(ClientSslOptions.DEFAULT);

        assertThatThrownBy(
                        () ->
                                new EchoServiceClient(
                                                fixture.channel(
                                                        server.address().getPort(), distrusting))
                                        .echo(request("a")))
                .isInstanceOf(RpcException.class);
    }
}
