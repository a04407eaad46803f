// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that agree on RDMA and then send nothing. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StrangersOverRdmaTest {
    /** Each has a few receive buffers only: there are many. */
    private static final TransportFlags FLAGS =
            RpcFixture.FLAGS
                    .with(TransportFlag.RDMA_SQ_SIZE, 16)
                    .with(TransportFlag.RDMA_RQ_SIZE, 16);

    private static final int STRANGERS = 300;

    private final RpcFixture fixture = new RpcFixture(SocketMode.RDMA, FLAGS);
    private final List<Connection> strangers = new ArrayList<>();
    private final AtomicInteger ended = new AtomicInteger();

    /** Counts the connections that end. */
    private final class Stranger implements ConnectionHandler {
        @Override
        public void onOpen(Connection connection) {}

        @Override
        public void onData(Connection connection, IOBuf received) {
            received.clear();
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {
            ended.incrementAndGet();
        }
    }

    @AfterEach
    void close() {
        strangers.forEach(Connection::close);
        RpcFixture.eventually(() -> ended.get() == strangers.size(), () -> "ended: " + ended);
        fixture.close();
    }

    private void flood(Server server) throws Exception {
        TransportClient client = new TransportClient(fixture.clientSide.transport, SocketMode.RDMA);
        for (int i = 0; i < STRANGERS; i++) {
            strangers.add(client.open(server.address(), new Stranger()).get(30, TimeUnit.SECONDS));
        }
    }

    private String echo(Server server, ChannelOptions options) {
        Channel channel = fixture.channel(server, options);
        try (ClientController controller = fixture.clientSide.node.controller()) {
            String answer = EchoCalls.echo(channel, controller, "good");
            assertThat(controller.errorCode()).as(controller.errorText()).isZero();
            assertThat(answer).isEqualTo("good");
            return controller.isRdma() ? "rdma" : "tcp";
        }
    }

    @Test
    void shouldServeGoodClientsAndDropNobodyDuringAFlood() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
        ChannelOptions options = RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA);
        assertThat(echo(server, options.withConnectionGroup("before"))).isEqualTo("rdma");

        flood(server);

        assertThat(echo(server, options.withConnectionGroup("during"))).isEqualTo("tcp");
        assertThat(echo(server, options.withConnectionGroup("before"))).isEqualTo("rdma");
        assertThat(ended).hasValue(0);
        assertThat(server.core().droppedConnections()).isZero();
        assertThat(server.core().refusedQueuePairs()).isEqualTo(STRANGERS - 256 + 1);

        // whoever leaves makes room
        Connection first = strangers.getFirst();
        assertThat(first.isRdma()).isTrue();
        first.close();
        RpcFixture.eventually(
                () -> server.connections().size() == STRANGERS + 1,
                () -> "connections: " + server.connections().size());
        assertThat(echo(server, options.withConnectionGroup("after"))).isEqualTo("rdma");
    }
}
