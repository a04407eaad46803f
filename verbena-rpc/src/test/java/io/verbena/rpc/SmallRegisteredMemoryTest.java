// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.testing.ChildJvm;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server with less registered memory than its clients send over RDMA. */
class SmallRegisteredMemoryTest {
    private static final int TOO_MUCH = 50 << 20;
    private static final int ALLOWED = 7 << 20;
    private static final int CLIENTS = 10;

    private static final ChannelOptions OPTIONS =
            RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA);

    private final RpcFixture fixture = new RpcFixture(SocketMode.RDMA);
    private final List<Connection> strangers = new ArrayList<>();
    private ChildJvm child;
    private int port;
    private Channel other;

    @BeforeEach
    void start() throws Exception {
        child =
                ChildJvm.start(
                        EchoServerProgram.class,
                        SocketMode.RDMA,
                        BlockPoolOptions.INITIAL_SIZE_MB + "=32",
                        BlockPoolOptions.MAX_REGIONS + "=1",
                        TransportFlag.RDMA_RQ_SIZE.flagName() + "=32");
        port = Integer.parseInt(child.line());
        other = channel("other");
        try (ClientController controller = other.controller()) {
            assertThat(EchoCalls.echo(other, controller, "first")).isEqualTo("first");
            assertThat(controller.isRdma()).isTrue();
        }
    }

    @AfterEach
    void close() throws Exception {
        strangers.forEach(Connection::close);
        fixture.close();
        child.finish();
    }

    private Channel channel(String group) {
        return fixture.closing(
                Channel.open(
                        fixture.clientSide.node,
                        "127.0.0.1:" + port,
                        OPTIONS.withConnectionGroup(group)));
    }

    private static boolean isServed(Channel channel) {
        try (ClientController controller = channel.controller()) {
            return EchoCalls.echo(channel, controller, "small").equals("small");
        }
    }

    @Test
    void shouldSayWhatToDoWhenABodyDoesNotFit() {
        EchoRequest big =
                EchoRequest.newBuilder()
                        .setMessage("big")
                        .setData(ByteString.copyFrom(new byte[TOO_MUCH]))
                        .build();
        for (int i = 0; i < 3; i++) {
            try (ClientController controller = other.controller()) {
                EchoCalls.echo(other, controller, big);

                assertThat(controller.errorCode())
                        .as(controller.errorText())
                        .isEqualTo(RpcError.EREQUEST.code());
                assertThat(controller.errorText())
                        .contains("registered memory")
                        .contains(BlockPoolOptions.MAX_REGIONS);
                assertThat(controller.retriedCount()).isZero();
            }
        }
        assertThat(isServed(other)).isTrue();
    }

    /** Bodies that would fit one by one. */
    @Test
    void shouldEndEachCallWhenTooManyBodiesAreSentAtOnce() throws Exception {
        List<Channel> channels = new ArrayList<>();
        List<ClientController> controllers = new ArrayList<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Channel channel = channel("many-" + i);
            assertThat(isServed(channel)).isTrue();
            channels.add(channel);
        }
        for (Channel channel : channels) {
            ClientController controller = fixture.closing(channel.controller());
            controllers.add(controller);
            controller.requestAttachment().append(new byte[ALLOWED]);
            calls.add(EchoCalls.start(channel, controller, EchoCalls.request("big")));
        }

        for (CompletableFuture<?> call : calls) {
            call.exceptionally(_ -> null).get(60, TimeUnit.SECONDS);
        }

        for (ClientController controller : controllers) {
            assertThat(controller.errorCode())
                    .as(controller.errorText())
                    .isIn(
                            0,
                            RpcError.ELIMIT.code(),
                            RpcError.EEOF.code(),
                            RpcError.EINTERNAL.code());
            if (controller.errorCode() == RpcError.EINTERNAL.code()) {
                // no room for the answer
                assertThat(controller.errorText()).contains(BlockPoolOptions.MAX_REGIONS);
            }
        }
        for (Channel channel : channels) {
            RpcFixture.eventually(() -> isServed(channel), () -> "no answer");
        }
        assertThat(isServed(other)).isTrue();
    }

    /** Each body lacks its end, so its memory never comes back while its connection lives. */
    @Test
    void shouldServeOthersWhenTooManyBodiesAreUnderWay() throws Exception {
        byte[] frame =
                RawClient.frame(
                        RawClient.meta("test.EchoService", "Echo", 1)
                                .setAttachmentSize(ALLOWED)
                                .build(),
                        ByteString.copyFrom(new byte[ALLOWED]));
        byte[] most = Arrays.copyOf(frame, frame.length - 1);
        TransportClient client = new TransportClient(fixture.clientSide.transport, SocketMode.RDMA);
        CompletableFuture<TransportException> cut = new CompletableFuture<>();
        for (int i = 0; i < CLIENTS; i++) {
            Connection stranger =
                    client.open(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                                    new Stranger(cut))
                            .get(30, TimeUnit.SECONDS);
            strangers.add(stranger);
            assertThat(stranger.isRdma()).isTrue();
        }
        for (Connection stranger : strangers) {
            try (IOBuf bytes = fixture.clientSide.pool.buffer()) {
                bytes.append(most);
                stranger.write(bytes);
            }
        }

        String line = child.line();
        while (!line.contains("registered memory is exhausted")) {
            line = child.line();
        }
        assertThat(line).contains(BlockPoolOptions.MAX_REGIONS);
        assertThat(cut.get(30, TimeUnit.SECONDS).error()).isEqualTo(TransportError.EEOF);
        RpcFixture.eventually(() -> isServed(other), () -> "no answer");
        Channel next = channel("next");
        RpcFixture.eventually(() -> isServed(next), () -> "no answer");
    }

    /** Tells when its connection ends. */
    private record Stranger(CompletableFuture<TransportException> cut)
            implements ConnectionHandler {
        @Override
        public void onOpen(Connection connection) {}

        @Override
        public void onData(Connection connection, IOBuf received) {
            received.clear();
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {
            cut.complete(reason);
        }
    }
}
