// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.testing.ChildJvm;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server with less direct memory than its clients send. */
class SmallDirectMemoryTest {
    private static final int TOO_MUCH = 50 << 20;
    private static final int ALLOWED = 1 << 20;

    private RpcFixture fixture;
    private ChildJvm child;
    private int port;
    private Channel channel;

    private void start(SocketMode mode) throws Exception {
        fixture = new RpcFixture(mode);
        child =
                ChildJvm.start(
                        List.of("-XX:MaxDirectMemorySize=8m"), EchoServerProgram.class, mode);
        port = Integer.parseInt(child.line());
        channel = channel(RpcFixture.PATIENT.withSocketMode(mode));
    }

    private Channel channel(ChannelOptions options) {
        return fixture.closing(Channel.open(fixture.clientSide.node, "127.0.0.1:" + port, options));
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
        child.finish();
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldSayWhatToDoWhenABodyDoesNotFit(SocketMode mode) throws Exception {
        start(mode);
        EchoRequest big =
                EchoRequest.newBuilder()
                        .setMessage("big")
                        .setData(ByteString.copyFrom(new byte[TOO_MUCH]))
                        .build();
        for (int i = 0; i < 3; i++) {
            try (ClientController controller = channel.controller()) {
                EchoCalls.echo(channel, controller, big);

                assertThat(controller.errorCode()).isEqualTo(RpcError.EREQUEST.code());
                assertThat(controller.errorText())
                        .contains("direct memory")
                        .contains("-XX:MaxDirectMemorySize");
                assertThat(controller.retriedCount()).isZero();
            }
        }
        shouldServe();
    }

    /** Bodies that would fit one by one, of which each lacks its end. */
    @Test
    void shouldServeOthersWhenTooManyBodiesAreUnderWay() throws Exception {
        start(SocketMode.TCP);
        shouldServe();
        byte[] frame =
                RawClient.frame(
                        RawClient.meta("test.EchoService", "Echo", 1)
                                .setAttachmentSize(ALLOWED)
                                .build(),
                        ByteString.copyFrom(new byte[ALLOWED]));
        byte[] most = Arrays.copyOf(frame, frame.length - 1);
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                RawClient client = new RawClient(port);
                clients.add(client);
                send(client, most);
            }
            RpcFixture.eventually(() -> isAnyCut(clients), () -> "all are still connected");
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }

        shouldServe();
    }

    /** Over RDMA bodies are received into registered memory, of which there is enough. */
    @Test
    void shouldServeAllOverRdmaWhenManyBodiesAreSentAtOnce() throws Exception {
        start(SocketMode.RDMA);
        List<ClientController> controllers = new ArrayList<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Channel own =
                    channel(
                            RpcFixture.PATIENT
                                    .withSocketMode(SocketMode.RDMA)
                                    .withConnectionGroup("own-" + i));
            ClientController controller = fixture.closing(own.controller());
            controllers.add(controller);
            controller.requestAttachment().append(new byte[ALLOWED]);
            calls.add(EchoCalls.start(own, controller, EchoCalls.request("big")));
        }
        for (CompletableFuture<?> call : calls) {
            call.exceptionally(_ -> null).get(30, TimeUnit.SECONDS);
        }

        for (ClientController controller : controllers) {
            // the server takes five calls at a time
            assertThat(controller.errorCode())
                    .as(controller.errorText())
                    .isIn(0, RpcError.ELIMIT.code());
            assertThat(controller.isRdma()).isTrue();
        }
        shouldServe();
    }

    private static void send(RawClient client, byte[] bytes) throws IOException {
        try {
            client.send(bytes);
        } catch (java.net.SocketException e) {
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    private static boolean isAnyCut(List<RawClient> clients) {
        for (RawClient client : clients) {
            try {
                if (client.isClosedSoon()) {
                    return true;
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return false;
    }

    private void shouldServe() {
        RpcFixture.eventually(
                () -> {
                    try (ClientController controller = channel.controller()) {
                        return EchoCalls.echo(channel, controller, "small").equals("small");
                    }
                },
                () -> "no answer");
    }
}
