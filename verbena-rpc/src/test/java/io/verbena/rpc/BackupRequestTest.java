// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A backup request to the same server: both tries share its only connection. */
class BackupRequestTest {
    private static final int BACKUP_MS = 20;

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final Held service = new Held();
    private final List<Told> told = new CopyOnWriteArrayList<>();
    private Server server;

    @AfterEach
    void close() {
        // a server that is closed waits for its calls
        service.unanswered.forEach(each -> each.answer("too late"));
        fixture.close();
    }

    /** How a try ended, as a balancer learns it. */
    private record Told(long latencyNs, int code) {}

    /** A try that the server has not answered. */
    private record Try(Held service, ServerController controller, Consumer<EchoResponse> done) {
        void answer(String text) {
            service.unanswered.remove(this);
            done.accept(EchoResponse.newBuilder().setMessage(text).build());
        }

        void fail(RpcError error) {
            service.unanswered.remove(this);
            controller.setFailed(error.code(), "as told");
            done.accept(EchoResponse.getDefaultInstance());
        }
    }

    /** Hands each try to the test, on the thread of the connection: they stay in their order. */
    private static final class Held extends EchoServices.Echo {
        final BlockingQueue<Try> tries = new LinkedBlockingQueue<>();
        final List<Try> unanswered = new CopyOnWriteArrayList<>();

        @Override
        @NonBlocking
        public void echoInline(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            Try arrived = new Try(this, controller, done);
            unanswered.add(arrived);
            tries.add(arrived);
        }

        Try next() throws InterruptedException {
            Try arrived = tries.poll(20, TimeUnit.SECONDS);
            assertThat(arrived).as("a try").isNotNull();
            return arrived;
        }
    }

    /** Always chooses the only server, and writes down what it is told. */
    private final class Noting implements LoadBalancer {
        @Override
        public Picker picker(List<ServerNode> servers) {
            return new Picker() {
                @Override
                public int select(CallContext call) {
                    return 0;
                }

                @Override
                public void onFeedback(int server, long latencyNs, int errorCode) {
                    told.add(new Told(latencyNs, errorCode));
                }
            };
        }
    }

    private Channel channel(ChannelOptions options) {
        server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        ScriptedNaming naming = new ScriptedNaming(List.of(new ServerNode(server.address(), "")));
        return fixture.closing(
                new Channel(
                        fixture.clientSide.node,
                        new CallSettings(
                                options,
                                fixture.clientSide.node.balancedServers(
                                        "test://", naming.named(), Noting::new, options))));
    }

    private static CompletableFuture<EchoResponse> start(
            Channel channel, ClientController controller) {
        return channel.callAsync(EchoCalls.INLINE, EchoCalls.request("x"), controller);
    }

    private void cutConnection() {
        var reason = new TransportException(TransportError.ECONNRESET, "cut by the test");
        server.connections().forEach(connection -> connection.abort(reason));
    }

    private static ChannelOptions options() {
        return RpcFixture.PATIENT.withBackupRequestMs(BACKUP_MS);
    }

    @Test
    void shouldTakeTheAnswerToTheFirstTryWhileTheBackupIsOut() throws Exception {
        Channel channel = channel(options());
        ClientController controller = fixture.closing(channel.controller());
        var answer = start(channel, controller);
        Try first = service.next();
        Try backup = service.next();

        first.answer("first");

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("first");
        assertThat(controller.hasBackupRequest()).isTrue();
        backup.answer("backup");
    }

    /** Its streams are those of the latest try, and the answer to the first one opens others. */
    @Test
    void shouldSendNoBackupOfACallThatOpensStreams() throws Exception {
        Channel channel = channel(options());
        ClientController opening = fixture.closing(channel.controller());
        ByteStream stream = opening.createStream(ByteStreamOptions.DEFAULT);
        var opened = start(channel, opening);
        Try first = service.next();
        // one that would be due after it
        var _ = start(channel, fixture.closing(channel.controller()));
        assertThat(service.next().controller().offeredStreams()).isZero();
        assertThat(service.next().controller().offeredStreams()).isZero();

        try (ByteStream accepted = first.controller().acceptStream(ByteStreamOptions.DEFAULT)) {
            first.answer("first");
            assertThat(opened.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("first");
            accepted.write(fixture.serverSide.pool.buffer().append("x"));
        }

        try (stream;
                IOBuf received = fixture.clientSide.pool.buffer()) {
            assertThat(stream.read(received)).isTrue();
            assertThat(received.toText()).isEqualTo("x");
        }
        assertThat(opening.hasBackupRequest()).isFalse();
    }

    @Test
    void shouldKeepTheAnswerToTheFirstTryWhenTheBackupIsRefusedAfterIt() throws Exception {
        Channel channel = channel(options().withTimeoutMs(-1));
        ClientController controller = fixture.closing(channel.controller());
        var answer = start(channel, controller);
        Try first = service.next();
        Try backup = service.next();

        first.answer("first");
        backup.fail(RpcError.ELIMIT);

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("first");
    }

    @Test
    void shouldTakeTheAnswerToTheBackupWhenTheFirstTryFailsBeforeIt() throws Exception {
        Channel channel = channel(options().withTimeoutMs(-1));
        ClientController controller = fixture.closing(channel.controller());
        var answer = start(channel, controller);
        Try first = service.next();
        Try backup = service.next();

        first.fail(RpcError.ELIMIT);
        backup.answer("backup");

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("backup");
        assertThat(codes()).containsExactly(RpcError.ELIMIT.code(), 0);
    }

    /** The first try began before the backup, so that it took longer. */
    @Test
    void shouldCreditTheTryThatWasAnswered() throws Exception {
        Channel channel = channel(options());
        ClientController controller = fixture.closing(channel.controller());
        var answer = start(channel, controller);
        Try first = service.next();
        Try backup = service.next();
        first.answer("first");
        answer.get(20, TimeUnit.SECONDS);
        backup.answer("backup");

        assertThat(codes()).containsExactly(RpcError.EBACKUPREQUEST.code(), 0);
        long overtakenNs = told.getFirst().latencyNs();
        assertThat(told.getLast().latencyNs())
                .isGreaterThan(overtakenNs + TimeUnit.MILLISECONDS.toNanos(BACKUP_MS) / 2);
    }

    private List<Integer> codes() {
        return told.stream().map(Told::code).toList();
    }

    @Test
    void shouldRetryWhenTheConnectionIsCutWithBothTriesOut() throws Exception {
        Channel channel = channel(options().withTimeoutMs(-1));
        ClientController controller = fixture.closing(channel.controller());
        CompletableFuture<EchoResponse> answer = start(channel, controller);
        service.next();
        service.next();

        cutConnection();
        service.next().answer("retried");

        assertThat(answer.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("retried");
        assertThat(controller.retriedCount()).isEqualTo(2);
        assertThat(told).hasSize(3);
        assertThat(codes()).endsWith(0);
    }

    @Test
    void shouldFailWhenTheConnectionIsCutWithTheLastTriesOut() throws Exception {
        Channel channel = channel(options().withTimeoutMs(-1).withMaxRetry(1));
        ClientController controller = fixture.closing(channel.controller());
        CompletableFuture<EchoResponse> answer = start(channel, controller);
        service.next();
        service.next();

        cutConnection();

        assertThat(answer.handle((response, failure) -> failure).get(20, TimeUnit.SECONDS))
                .isInstanceOf(RpcException.class);
        assertThat(controller.errorCode()).isNotEqualTo(RpcError.ERPCTIMEDOUT.code());
        assertThat(told).hasSize(2);
    }
}
