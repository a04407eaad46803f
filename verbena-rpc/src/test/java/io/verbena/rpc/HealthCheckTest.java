// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HealthCheckTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    /** A server that is never probed again never gets calls again. */
    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldProbeAgainAfterAProbeThatThrew(Thrown thrown) {
        AtomicInteger served = new AtomicInteger();
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        new EchoServices.Echo() {
                                            @Override
                                            public void echo(
                                                    ServerController controller,
                                                    EchoRequest request,
                                                    Consumer<EchoResponse> done) {
                                                served.incrementAndGet();
                                                super.echo(controller, request, done);
                                            }
                                        })
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        RpcNode node = fixture.clientSide.node;
        node.flags().set(RpcFlag.HEALTH_CHECK_INTERVAL, 1L);
        AtomicInteger probes = new AtomicInteger();
        Supplier<ClientController> controllers =
                () -> {
                    if (probes.getAndIncrement() == 0) {
                        thrown.raise();
                    }
                    return node.controller();
                };
        HealthCheck check =
                new HealthCheck(
                        node.transport(),
                        node.engine(),
                        controllers,
                        node.chores(),
                        node.flags(),
                        new ClientCertificates());
        RemoteServer probed = new RemoteServer(key(server.address()), node.remotes());

        check.watch(probed, 0, "is to be probed");

        RpcFixture.eventually(() -> served.get() > 0, () -> "probes: " + probes);
        probed.close();
    }

    /** A server whose probe cannot be planned would never get calls again. */
    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldNotLeaveOutAServerThatCannotBeProbed(Thrown thrown) {
        RpcNode node = fixture.clientSide.node;
        ScheduledExecutorService faulty =
                thrown.in(ScheduledExecutorService.class, node.chores(), () -> true, "schedule");
        HealthCheck check =
                new HealthCheck(
                        node.transport(),
                        node.engine(),
                        node::controller,
                        faulty,
                        node.flags(),
                        new ClientCertificates());
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        RemoteServer probed = new RemoteServer(key(nobody), node.remotes());
        probed.onUnreachable(new TransportException(TransportError.ECONNREFUSED, "as told"));
        assertThat(probed.isReachable()).isFalse();

        check.watch(probed, 0, "is to be probed");

        assertThat(probed.isReachable()).isTrue();
        probed.close();
    }

    private static RemoteServerKey key(InetSocketAddress address) {
        HealthCriterion test =
                new HealthCriterion(
                        "",
                        Optional.of(
                                new HealthCall(
                                        EchoCalls.ECHO, EchoCalls.request("are you well?"))));
        return new RemoteServerKey(
                address, "", SocketMode.TCP, "", test, Optional.empty(), Optional.empty());
    }
}
