// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is under way on a server that is no longer listed goes on for as long as it takes. */
class RetirementTest {
    /** Of a channel; what is under way here may take longer. */
    private static final ChannelOptions QUICK = RpcFixture.PATIENT.withTimeoutMs(100);

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final Server leaving = server();
    private final Server staying = server();
    private final ScriptedNaming naming = new ScriptedNaming(List.of(node(leaving)));
    private final Channel channel =
            fixture.closing(
                    new Channel(
                            fixture.clientSide.node,
                            new CallSettings(
                                    QUICK,
                                    fixture.clientSide.node.balancedServers(
                                            "test://",
                                            naming.named(),
                                            () -> new Plugins().balancer("rr"),
                                            QUICK))));

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    /** Holds the call "hold"; sends back what comes on streams. */
    private Server server() {
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(
                                new EchoServices.Echo() {
                                    @Override
                                    public void echo(
                                            ServerController controller,
                                            EchoRequest request,
                                            Consumer<EchoResponse> done) {
                                        if (controller.offeredStreams() > 0) {
                                            controller.acceptStream(
                                                    ByteStreamOptions.DEFAULT.withHandler(
                                                            (stream, messages) ->
                                                                    messages.forEach(
                                                                            stream::write)));
                                        }
                                        if (request.getMessage().equals("hold")) {
                                            entered.countDown();
                                            await(release);
                                        }
                                        super.echo(controller, request, done);
                                    }
                                })
                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ServerNode node(Server server) {
        return new ServerNode(server.address(), "");
    }

    private CompletableFuture<EchoResponse> hold(int timeoutMs) {
        ClientController controller = fixture.closing(channel.controller());
        controller.setTimeoutMs(timeoutMs);
        CompletableFuture<EchoResponse> answer =
                EchoCalls.start(channel, controller, EchoCalls.request("hold"));
        await(entered);
        return answer;
    }

    /** Takes the server off the list and waits until it was looked at: chores have one thread. */
    private void leaveAndWait() throws Exception {
        naming.report(List.of(node(staying)));
        fixture.clientSide
                .node
                .chores()
                .schedule(() -> {}, 2L * QUICK.timeoutMs(), TimeUnit.MILLISECONDS)
                .get();
    }

    private void awaitClosedConnections() {
        RpcFixture.eventually(
                () -> leaving.connections().isEmpty(), () -> leaving.connections().toString());
    }

    @Test
    void shouldFinishACallWhoseOwnLimitIsLonger() throws Exception {
        CompletableFuture<EchoResponse> answer = hold(30_000);

        leaveAndWait();
        assertThat(answer).isNotDone();
        release.countDown();

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("hold");
        awaitClosedConnections();
    }

    @Test
    void shouldFinishACallWithoutALimit() throws Exception {
        CompletableFuture<EchoResponse> answer = hold(-1);

        leaveAndWait();
        release.countDown();

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("hold");
        awaitClosedConnections();
    }

    @Test
    void shouldCarryStreamsOnUntilTheyEnd() throws Exception {
        try (ClientController controller = channel.controller();
                ByteStream stream = controller.createStream(ByteStreamOptions.DEFAULT);
                IOBuf answer = fixture.clientSide.pool.buffer()) {
            controller.setTimeoutMs(20_000);
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");

            leaveAndWait();
            stream.write(fixture.clientSide.pool.buffer().append("still there?"));

            assertThat(stream.read(answer)).isTrue();
            assertThat(answer.toText()).isEqualTo("still there?");
        }
        awaitClosedConnections();
    }

    @Test
    void shouldCloseTheConnectionsOfAServerThatNobodyUses() throws Exception {
        ClientController controller = fixture.closing(channel.controller());
        controller.setTimeoutMs(20_000);
        assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");

        leaveAndWait();

        awaitClosedConnections();
    }

    @Test
    void shouldEndWhatIsUnderWayWithTheChannel() throws Exception {
        CompletableFuture<EchoResponse> answer = hold(-1);
        leaveAndWait();

        channel.close();

        assertThatThrownBy(() -> answer.get(20, TimeUnit.SECONDS))
                .hasMessageContaining("ECLOSE (2005)");
    }

    @Test
    void shouldKeepAServerThatReturnsAndLeavesOnlyOnce() throws Exception {
        CompletableFuture<EchoResponse> answer = hold(-1);
        for (int i = 0; i < 10; i++) {
            naming.report(List.of(node(staying)));
            naming.report(List.of(node(leaving)));
        }
        leaveAndWait();
        release.countDown();

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("hold");
        awaitClosedConnections();
    }
}
