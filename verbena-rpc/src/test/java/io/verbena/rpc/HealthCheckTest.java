// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.Optional;
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
                        node.transport(), node.engine(), controllers, node.chores(), node.flags());
        RemoteServer probed = new RemoteServer(key(server), node.remotes());

        check.watch(probed, 0, "is to be probed");

        RpcFixture.eventually(() -> served.get() > 0, () -> "probes: " + probes);
        probed.close();
    }

    private static RemoteServerKey key(Server server) {
        HealthTest test =
                new HealthTest(
                        "",
                        Optional.of(
                                new HealthCall(
                                        EchoCalls.ECHO, EchoCalls.request("are you well?"))));
        return new RemoteServerKey(
                server.address(), "", SocketMode.TCP, "", test, Optional.empty(), Optional.empty());
    }
}
