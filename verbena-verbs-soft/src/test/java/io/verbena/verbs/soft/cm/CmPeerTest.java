// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.ConnectionEventType.CONNECT_ERROR;
import static io.verbena.verbs.ConnectionEventType.CONNECT_REQUEST;
import static io.verbena.verbs.ConnectionEventType.DISCONNECTED;
import static io.verbena.verbs.ConnectionEventType.ESTABLISHED;
import static io.verbena.verbs.ConnectionEventType.REJECTED;
import static io.verbena.verbs.ConnectionEventType.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Seeds;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectReply;
import io.verbena.verbs.soft.cm.CmMessage.DisconnectRequest;
import io.verbena.verbs.soft.cm.CmMessage.Endpoint;
import io.verbena.verbs.soft.cm.CmMessage.Offer;
import io.verbena.verbs.soft.cm.CmMessage.ReadyToUse;
import io.verbena.verbs.soft.cm.CmMessage.Reject;
import io.verbena.verbs.soft.cm.CmMessage.Reply;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that die, stop or lie at every step of the handshake; they use plain sockets. */
class CmPeerTest extends ConnectionSteps {
    private static final int PORT = 4711;
    private static final Endpoint ENDPOINT = new Endpoint(RecordingContext.GID, 5, 6);
    private static final Offer OFFER = new Offer(1, 1, 7, 7);
    private static final Reply REPLY = new Reply(ENDPOINT, OFFER, PrivateData.NONE);
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir private Path path;
    private CmFolder folder;
    private CmTimeouts timeouts = CmTimeouts.DEFAULT;

    @Override
    DeviceContext openContext() {
        folder = new CmFolder(path);
        return new RecordingContext(path, timeouts);
    }

    private void reopen(CmTimeouts shorter) {
        timeouts = shorter;
        closeDevice();
        openDevice();
    }

    @Test
    void shouldIgnoreACallerThatSaysNothing() throws IOException, InterruptedException {
        reopen(new CmTimeouts(SHORT, PATIENCE, PATIENCE));
        try (SocketChannel silent = call(listen());
                SocketChannel partial = call(PORT)) {
            partial.write(CmCodec.encode(request(PathMtu.MTU_2048)).limit(20));

            assertThat(silent.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThat(partial.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        expectNothing(passive);
    }

    @Test
    void shouldRefuseAnotherVersion() throws IOException {
        try (SocketChannel caller = call(listen())) {
            caller.write(CmCodec.encode(request(PathMtu.MTU_2048)).put(4, (byte) 2));

            assertThat(new CmSocket(caller, new CmThreads()).read())
                    .contains(new Reject(CmRejectReason.VERSION, PrivateData.NONE));
        }
    }

    @Test
    void shouldRefuseALargerMtu() throws IOException {
        try (SocketChannel caller = call(listen())) {
            caller.write(CmCodec.encode(request(PathMtu.MTU_4096)));

            assertThat(new CmSocket(caller, new CmThreads()).read())
                    .contains(new Reject(CmRejectReason.INVALID_MTU, PrivateData.NONE));
        }
    }

    @Test
    void shouldSurviveCallersThatTalkNonsense() throws IOException, InterruptedException {
        listen();
        Random random = new Random(Seeds.next("CmPeerTest"));
        for (int i = 0; i < 300; i++) {
            byte[] bytes = new byte[random.nextInt(600)];
            random.nextBytes(bytes);
            if (i % 2 == 0 && bytes.length >= 8) {
                CmCodec.encode(request(PathMtu.MTU_2048)).get(0, bytes, 0, 8);
            }
            try (SocketChannel caller = call(PORT)) {
                caller.write(ByteBuffer.wrap(bytes));
            }
        }
        try (SocketChannel caller = call(PORT)) {
            caller.write(CmCodec.encode(request(PathMtu.MTU_1024)));
            assertThat(request().parameters().privateData()).isEmpty();
        }
    }

    @Test
    void shouldGiveUpACallerThatIsNeverReady() throws IOException, InterruptedException {
        reopen(new CmTimeouts(PATIENCE, SHORT, PATIENCE));
        try (SocketChannel caller = call(listen())) {
            ConnectionIdentifier server = accept(caller);

            ConnectionEvent late = expect(passive, CONNECT_ERROR);

            assertThat(late.status()).isEqualTo(-Errno.ETIMEDOUT);
            assertThat(server.queuePair().map(QueuePair::state)).contains(QueuePairState.ERROR);
            assertThat(new CmSocket(caller, new CmThreads()).read()).contains(reply(server));
            assertThat(caller.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        expectNothing(passive);
    }

    @Test
    void shouldTellWhenAnAcceptedCallerDies() throws IOException, InterruptedException {
        try (SocketChannel caller = call(listen())) {
            accept(caller);
        }

        assertThat(expect(passive, CONNECT_ERROR).status()).isEqualTo(-Errno.ECONNRESET);
    }

    @Test
    void shouldTellWhenAWaitingCallerDies() throws IOException, InterruptedException {
        try (SocketChannel caller = call(listen())) {
            caller.write(CmCodec.encode(request(PathMtu.MTU_1024)));
            request();
        }

        assertThat(expect(passive, REJECTED).status()).isEqualTo(CmRejectReason.TIMEOUT);
    }

    @Test
    void shouldEndWhenAnEstablishedCallerDies() throws IOException, InterruptedException {
        try (SocketChannel caller = call(listen())) {
            ConnectionIdentifier server = accept(caller);
            caller.write(CmCodec.encode(new ReadyToUse()));
            expect(passive, ESTABLISHED);
            caller.shutdownOutput();

            expect(passive, DISCONNECTED);

            assertThat(server.queuePair().map(QueuePair::state)).contains(QueuePairState.ERROR);
            server.disconnect();
        }
        expectNothing(passive);
    }

    @Test
    void shouldEndWhenThePeerSaysSomethingOutOfTurn() throws IOException, InterruptedException {
        try (SocketChannel caller = call(listen())) {
            accept(caller);
            caller.write(CmCodec.encode(REPLY));

            assertThat(expect(passive, CONNECT_ERROR).status()).isEqualTo(-Errno.EIO);
        }
    }

    @Test
    void shouldNotWaitForAStoppedPeerToDisconnect() throws IOException, InterruptedException {
        reopen(new CmTimeouts(PATIENCE, PATIENCE, SHORT));
        try (SocketChannel caller = call(listen())) {
            ConnectionIdentifier server = accept(caller);
            caller.write(CmCodec.encode(new ReadyToUse()));
            expect(passive, ESTABLISHED);

            server.disconnect();

            expect(passive, DISCONNECTED);
            CmSocket socket = new CmSocket(caller, new CmThreads());
            assertThat(socket.read()).contains(reply(server));
            assertThat(socket.read()).contains(new DisconnectRequest());
            assertThat(socket.read()).isEmpty();
        }
    }

    @Test
    void shouldDisconnectBeforeThePeerIsReady() throws IOException, InterruptedException {
        try (SocketChannel caller = call(listen())) {
            ConnectionIdentifier server = accept(caller);
            server.disconnect();
            caller.write(CmCodec.encode(new ReadyToUse()));
            caller.write(CmCodec.encode(new DisconnectReply()));

            expect(passive, DISCONNECTED);
        }
        expectNothing(passive);
    }

    @Test
    void shouldReportOneEndWhenThePeerDiesWhileDisconnecting() throws Exception {
        listen();
        for (int i = 0; i < 200; i++) {
            try (SocketChannel caller = call(PORT)) {
                ConnectionIdentifier server = accept(caller);
                CompletableFuture<Void> disconnecting = async(server::disconnect);
                caller.shutdownOutput();

                ConnectionEvent end = passive.awaitEvent(PATIENCE).orElseThrow();

                disconnecting.get(10, TimeUnit.SECONDS);
                assertThat(end.type()).isIn(CONNECT_ERROR, DISCONNECTED);
                server.close();
            }
        }
        expectNothing(passive);
    }

    @Test
    void shouldBeUnreachableWhenTheListenerDies() throws IOException, InterruptedException {
        try (ServerSocketChannel server = bareListener()) {
            ConnectionIdentifier client = caller(active, loopback(PORT));
            client.connect(ConnectionParameters.ZERO);
            server.accept().close();

            assertThat(expect(active, UNREACHABLE).status()).isEqualTo(-Errno.ECONNRESET);

            assertThat(client.queuePair().map(QueuePair::state)).contains(QueuePairState.ERROR);
        }
        ConnectionIdentifier late = caller(active, loopback(PORT));
        late.connect(ConnectionParameters.ZERO);
        assertThat(expect(active, REJECTED).status())
                .isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
    }

    @Test
    void shouldFailWhenTheListenerTalksNonsense() throws IOException, InterruptedException {
        try (ServerSocketChannel server = bareListener()) {
            caller(active, loopback(PORT)).connect(ConnectionParameters.ZERO);
            try (SocketChannel answering = server.accept()) {
                answering.write(ByteBuffer.wrap(new byte[40]));

                assertThat(expect(active, CONNECT_ERROR).status()).isEqualTo(-Errno.EIO);
            }
        }
    }

    @Test
    void shouldBeRejectedWhenTheListenerClosesInBetween() throws IOException, InterruptedException {
        try (ServerSocketChannel server = bareListener()) {
            caller(active, loopback(PORT)).connect(ConnectionParameters.ZERO);
            SocketChannel accepted = server.accept();
            Files.delete(folder.socket(PORT));
            accepted.close();

            assertThat(expect(active, REJECTED).status())
                    .isEqualTo(ConnectionEvent.REJECTED_NO_LISTENER);
        }
    }

    @Test
    void shouldReplaceASocketLeftBehind() throws IOException, InterruptedException {
        bareListener().close();
        assertThat(folder.socket(PORT)).exists();

        listen();

        try (SocketChannel caller = call(PORT)) {
            caller.write(CmCodec.encode(request(PathMtu.MTU_1024)));
            request();
        }
    }

    @Test
    void shouldGiveAStaleSocketToOneOfMany() throws Exception {
        bareListener().close();
        AtomicInteger refused = new AtomicInteger();
        List<CompletableFuture<Void>> binds = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            ConnectionIdentifier rival = passive.createIdentifier();
            binds.add(async(() -> bindOrCount(rival, refused)));
        }

        for (CompletableFuture<Void> bind : binds) {
            bind.get(10, TimeUnit.SECONDS);
        }

        assertThat(refused).hasValue(15);
        call(PORT).close();
    }

    private static void bindOrCount(ConnectionIdentifier rival, AtomicInteger refused) {
        try {
            rival.bind(loopback(PORT));
        } catch (VerbsException e) {
            assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE);
            refused.incrementAndGet();
        }
    }

    @Test
    void shouldSweepSocketsLeftBehindOnly() throws IOException {
        bareListener().close();
        int living = listener(1).localAddress().orElseThrow().getPort();

        assertThat(CmPort.sweep(folder)).isEqualTo(1);

        assertThat(folder.socket(PORT)).doesNotExist();
        assertThat(folder.socket(living)).exists();
    }

    @Test
    void shouldRemoveTheSocketOfAClosedListener() throws IOException {
        listen();

        passive.close();

        assertThat(folder.socket(PORT)).doesNotExist();
    }

    private int listen() {
        ConnectionIdentifier listener = passive.createIdentifier();
        listener.bind(loopback(PORT));
        listener.listen(1000);
        return PORT;
    }

    private SocketChannel call(int port) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(folder.socket(port)));
    }

    private ServerSocketChannel bareListener() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.socket(PORT)));
    }

    private ConnectionEvent request() throws InterruptedException {
        return expect(passive, CONNECT_REQUEST);
    }

    private ConnectionIdentifier accept(SocketChannel caller)
            throws IOException, InterruptedException {
        caller.write(CmCodec.encode(request(PathMtu.MTU_1024)));
        ConnectionIdentifier server = request().identifier();
        createPair(server);
        server.accept(ConnectionParameters.DEFAULT);
        return server;
    }

    private static Request request(PathMtu mtu) {
        return new Request(loopback(PORT), loopback(9), ENDPOINT, OFFER, mtu, PrivateData.NONE);
    }

    private static CmMessage reply(ConnectionIdentifier server) {
        QueuePair pair = server.queuePair().orElseThrow();
        Endpoint endpoint =
                new Endpoint(
                        RecordingContext.GID,
                        pair.number(),
                        pair.query().receivePacketSequenceNumber());
        return new Reply(endpoint, new Offer(1, 1, 0, 7), PrivateData.NONE);
    }
}
