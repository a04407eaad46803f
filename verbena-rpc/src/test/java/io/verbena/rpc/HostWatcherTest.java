// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.FreePort;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels to host names whose addresses change. */
class HostWatcherTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final HostWatcher hosts =
            new HostWatcher(fixture.clientSide.node.flags(), host -> found());

    /** What the name stands for; empty if it is unknown. */
    private volatile InetAddress[] current = {};

    @AfterEach
    void close() {
        hosts.close();
        fixture.close();
    }

    private InetAddress[] found() throws UnknownHostException {
        if (current.length == 0) {
            throw new UnknownHostException("localhost");
        }
        return current;
    }

    private static InetAddress loopback(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    private Server server(InetAddress host, int port) {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(new EchoServices.Echo())
                        .start(new InetSocketAddress(host, port), ServerOptions.DEFAULT));
    }

    private InetSocketAddress answeringTo(Channel channel) {
        try (ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            return controller.remoteSide();
        }
    }

    @Test
    void shouldFollowAHostToItsNewAddress() throws Exception {
        int port = FreePort.choose();
        Server first = server(loopback(1), port);
        Server second = server(loopback(2), port);
        SingleServer selector =
                new SingleServer(
                        "localhost:" + port,
                        RpcFixture.PATIENT,
                        fixture.clientSide.node.remotes(),
                        hosts,
                        new Retirement(
                                fixture.clientSide.node.remotes(),
                                fixture.clientSide.node.chores(),
                                100));
        Channel channel =
                fixture.closing(
                        new Channel(
                                fixture.clientSide.node,
                                new CallSettings(RpcFixture.PATIENT, selector)));
        assertThat(answeringTo(channel)).isEqualTo(first.address());

        hosts.lookUp();
        assertThat(answeringTo(channel)).as("an unknown host").isEqualTo(first.address());
        current = new InetAddress[] {loopback(2), loopback(1)};
        hosts.lookUp();
        assertThat(answeringTo(channel)).as("still one of its own").isEqualTo(first.address());
        current = new InetAddress[] {loopback(2)};
        hosts.lookUp();
        assertThat(answeringTo(channel)).as("moved").isEqualTo(second.address());
        first.close(Duration.ofSeconds(20));
        assertThat(answeringTo(channel)).isEqualTo(second.address());
    }
}
