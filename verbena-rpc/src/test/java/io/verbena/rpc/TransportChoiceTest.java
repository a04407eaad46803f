// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both sides of a call know which transport carried it. */
class TransportChoiceTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.RDMA);
    private final AtomicBoolean isRdmaOnServer = new AtomicBoolean();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Notes what its controller says. */
    private final class Noting extends EchoServices.Echo {
        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            isRdmaOnServer.set(((Controller) controller).isRdma());
            super.echo(controller, request, done);
        }
    }

    /** The connection is closed by then. */
    @Test
    void shouldTellBothSidesOfAShortConnection() {
        Server server = fixture.server(ServerOptions.DEFAULT);
        Channel channel =
                fixture.channel(
                        server, RpcFixture.PATIENT.withConnectionType(ConnectionType.SHORT));
        try (ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            RpcFixture.eventually(() -> server.connections().isEmpty(), () -> "connected");

            assertThat(controller.remoteSide().getPort()).isEqualTo(server.address().getPort());
            assertThat(controller.localSide().getAddress().isLoopbackAddress()).isTrue();
            assertThat(controller.localSide().getPort()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"RDMA, RDMA, true", "RDMA, TCP, false", "TCP, RDMA, false", "TCP, TCP, false"})
    void shouldTellWhetherACallWentOverRdma(SocketMode client, SocketMode serving, boolean isRdma) {
        isRdmaOnServer.set(!isRdma);
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(new Noting())
                                .start(
                                        RpcFixture.anyPort(),
                                        ServerOptions.DEFAULT.withSocketMode(serving)));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withSocketMode(client));
        try (ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");

            assertThat(controller.isRdma()).as("client").isEqualTo(isRdma);
            assertThat(isRdmaOnServer.get()).as("server").isEqualTo(isRdma);
            controller.reset();
            assertThat(controller.isRdma()).as("before the next call").isFalse();
        }
    }
}
