// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.transport.SocketMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The connections to a server that are kept for later calls. */
class RemoteServerTest {
    private static final int CONNECT_MS = 10_000;

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private RemoteServer remote() {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(new EchoServices.Echo())
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        return Target.of(
                        new ServerNode(server.address(), ""),
                        RpcFixture.PATIENT,
                        fixture.clientSide.node.remotes())
                .serverFor(false);
    }

    /**
     * A call finds that its connection is good; then that ends, and then the call gives it back.
     */
    @Test
    void shouldNotKeepAConnectionThatEndsWhileItIsGivenBack() {
        fixture.clientSide.node.flags().set(RpcFlag.MAX_CONNECTION_POOL_SIZE, 1L);
        RemoteServer remote = remote();
        ClientSocket ended = remote.acquire(ConnectionType.POOLED, CONNECT_MS);
        ClientSocket other = remote.acquire(ConnectionType.POOLED, CONNECT_MS);
        ended.opening().join();
        other.opening().join();
        ended.close();
        RpcFixture.eventually(ended::hasEnded, () -> "still there");

        remote.release(ended, ConnectionType.POOLED, true);
        remote.release(other, ConnectionType.POOLED, true);

        assertThat(other.isUsable()).as("the only connection in the pool").isTrue();
        fixture.clientSide.node.remotes().release(remote);
    }
}
