// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.UserMemory;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The RPC cases of brpc's own tests of RDMA, by their names, with both versions of the hello. */
class RdmaCasesTest {
    private static final int CALLS = RpcFixture.rounds(1024);
    private static final int SERVERS = RpcFixture.rounds(100);
    private static final int WRONG_LKEY = 0x7fff_ff01;
    private static final ServerOptions RDMA_SERVER =
            ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA);
    private static final ChannelOptions RDMA_CHANNEL =
            RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA).withMaxRetry(0);

    private RpcFixture fixture;

    private void open(int helloVersion) {
        open(helloVersion, RpcFixture.POOL);
    }

    private void open(int helloVersion, BlockPoolOptions pool) {
        fixture =
                new RpcFixture(
                        SocketMode.RDMA,
                        RpcFixture.FLAGS.with(
                                TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION, helloVersion),
                        pool);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void shouldEcho(Server server, ChannelOptions options, boolean isRdma) {
        Channel channel = fixture.channel(server, options);
        try (ClientController controller = channel.controller()) {
            controller.requestAttachment().append("beside");
            assertThat(EchoCalls.echo(channel, controller, "hello")).isEqualTo("hello");
            assertThat(controller.responseAttachment().toByteArray())
                    .asString()
                    .isEqualTo("beside");
            assertThat(controller.isRdma()).as("client").isEqualTo(isRdma);
        }
        assertThat(server.connections()).extracting(Connection::isRdma).containsExactly(isRdma);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void rdmaClientToRdmaServer(int version) {
        open(version);
        shouldEcho(fixture.server(RDMA_SERVER), RDMA_CHANNEL, true);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void tcpClientToTcpServer(int version) {
        open(version);
        shouldEcho(fixture.server(ServerOptions.DEFAULT), RpcFixture.PATIENT, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void tcpClientToRdmaServer(int version) {
        open(version);
        shouldEcho(fixture.server(RDMA_SERVER), RpcFixture.PATIENT, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void rdmaClientToTcpServer(int version) {
        open(version);
        shouldEcho(fixture.server(ServerOptions.DEFAULT), RDMA_CHANNEL, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void tcpAndRdmaChannelsNeverShareAConnection(int version) {
        open(version);
        Server server = fixture.server(RDMA_SERVER);
        for (ChannelOptions options : List.of(RpcFixture.PATIENT, RDMA_CHANNEL)) {
            Channel channel = fixture.channel(server, options);
            try (ClientController controller = channel.controller()) {
                assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            }
        }

        assertThat(server.connections())
                .extracting(Connection::isRdma)
                .containsExactlyInAnyOrder(true, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void tryGlobalDisableRdma(int version) {
        open(version);
        fixture.clientSide.transport.disableRdma();
        shouldEcho(fixture.server(RDMA_SERVER), RDMA_CHANNEL, false);
        assertThat(fixture.clientSide.node.connections())
                .singleElement()
                .satisfies(
                        connection ->
                                assertThat(connection.fallbackReason())
                                        .contains("this side has no usable device"));
    }

    /** Makes calls, all at once, that share the blocks of their attachments. */
    private Outcomes manyCalls(Channel channel, int calls, int attachmentSize, Runnable midway) {
        Outcomes outcomes = new Outcomes(calls);
        try (IOBuf attachment = fixture.clientSide.pool.buffer()) {
            attachment.append(new byte[attachmentSize]);
            for (int i = 0; i < calls; i++) {
                ClientController controller = channel.controller();
                controller.requestAttachment().append(attachment);
                int number = i;
                channel.start(
                        EchoCalls.ECHO,
                        EchoCalls.request(String.valueOf(i)),
                        controller,
                        answer -> outcomes.end(number, controller, answer));
                if (i == calls / 2) {
                    midway.run();
                }
            }
        }
        outcomes.await();
        return outcomes;
    }

    /** {@return the outcomes of calls, with this many under way at a time} */
    private Set<Integer> callsInTurn(Channel channel, int calls, int atATime) {
        Set<Integer> codes = new TreeSet<>();
        for (int done = 0; done < calls; done += atATime) {
            codes.addAll(manyCalls(channel, atATime, 4096, () -> {}).codes());
        }
        return codes;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsInOneQp(int version) {
        open(version);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL);

        assertThat(manyCalls(channel, CALLS, 0, () -> {}).codes()).containsExactly(0);
        assertThat(manyCalls(channel, CALLS, 4096, () -> {}).codes()).containsExactly(0);
        assertThat(manyCalls(channel, CALLS, 1 << 20, () -> {}).codes())
                .isSubsetOf(0, RpcError.EOVERCROWDED.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcInManyQp(int version) {
        open(version);
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            servers.add(fixture.server(RDMA_SERVER));
        }
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            channels.add(fixture.channel(servers.get(i % SERVERS), RDMA_CHANNEL));
        }
        Outcomes outcomes = new Outcomes(CALLS);
        for (int i = 0; i < CALLS; i++) {
            int number = i;
            ClientController controller = channels.get(i).controller();
            controller.requestAttachment().append(new byte[4096]);
            channels.get(i)
                    .start(
                            EchoCalls.ECHO,
                            EchoCalls.request(String.valueOf(i)),
                            controller,
                            answer -> outcomes.end(number, controller, answer));
        }
        outcomes.await();

        assertThat(outcomes.codes()).containsExactly(0);
        assertThat(servers)
                .allSatisfy(
                        server ->
                                assertThat(server.connections())
                                        .extracting(Connection::isRdma)
                                        .containsExactly(true));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsAsPooledConnection(int version) {
        open(version);
        Channel channel =
                fixture.channel(
                        fixture.server(RDMA_SERVER),
                        RDMA_CHANNEL.withConnectionType(ConnectionType.POOLED));

        assertThat(callsInTurn(channel, CALLS, 16)).containsExactly(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsAsShortConnection(int version) {
        open(version);
        Channel channel =
                fixture.channel(
                        fixture.server(RDMA_SERVER),
                        RDMA_CHANNEL.withConnectionType(ConnectionType.SHORT));

        assertThat(callsInTurn(channel, CALLS, 8)).containsExactly(0);
    }

    /** Both in the message, which is copied, and in the attachment. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldEchoLargeBodies(int version) throws Exception {
        open(version);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL);
        byte[] bytes = new byte[3 << 20];
        new Random(version).nextBytes(bytes);
        try (ClientController controller = channel.controller()) {
            controller.requestAttachment().append(bytes);

            EchoResponse answer =
                    EchoCalls.start(
                                    channel,
                                    controller,
                                    EchoRequest.newBuilder()
                                            .setMessage("large")
                                            .setData(ByteString.copyFrom(bytes))
                                            .build())
                            .get(60, TimeUnit.SECONDS);

            assertThat(answer.getData().toByteArray()).isEqualTo(bytes);
            assertThat(controller.responseAttachment().toByteArray()).isEqualTo(bytes);
            assertThat(controller.isRdma()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void serverStopDuringRpc(int version) {
        open(version);
        Server server = fixture.server(RDMA_SERVER);
        Channel channel = fixture.channel(server, RDMA_CHANNEL);
        // connected: a server that stops refuses new connections
        assertThat(manyCalls(channel, 1, 16, () -> {}).codes()).containsExactly(0);

        Outcomes outcomes = manyCalls(channel, CALLS, 16, server::stop);

        assertThat(outcomes.codes())
                .isSubsetOf(
                        0,
                        RpcError.EEOF.code(),
                        RpcError.ELOGOFF.code(),
                        RpcError.EHOSTDOWN.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void serverCloseDuringRpc(int version) {
        open(version);
        Server server = fixture.server(RDMA_SERVER);
        Channel channel = fixture.channel(server, RDMA_CHANNEL);
        TransportException closed =
                new TransportException(TransportError.ECLOSE, "closed by the test");

        Outcomes outcomes =
                manyCalls(
                        channel,
                        CALLS,
                        16,
                        () -> server.connections().forEach(one -> one.abort(closed)));

        assertThat(outcomes.codes())
                .isSubsetOf(
                        0,
                        RpcError.EEOF.code(),
                        RpcError.EFAILEDSOCKET.code(),
                        RpcError.EHOSTDOWN.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void clientCloseDuringRpc(int version) {
        open(version);
        Server server = fixture.server(RDMA_SERVER);
        Channel channel = fixture.channel(server, RDMA_CHANNEL);

        Outcomes outcomes = manyCalls(channel, CALLS, 16, channel::close);

        assertThat(outcomes.codes())
                .isSubsetOf(0, RpcError.ECLOSE.code(), RpcError.EHOSTDOWN.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void verbsErrorHandling(int version) {
        open(version);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL);
        try (Arena arena = Arena.ofShared();
                ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "warm")).isEqualTo("warm");
            controller.reset();
            AtomicInteger released = new AtomicInteger();
            controller
                    .requestAttachment()
                    .appendUserData(arena.allocate(4096), WRONG_LKEY, released::incrementAndGet);

            assertThat(EchoCalls.echo(channel, controller, "x")).isEmpty();

            assertThat(controller.errorCode()).isEqualTo(RpcError.ERDMA.code());
            controller.reset();
            RpcFixture.eventually(() -> released.get() == 1, () -> "released " + released);
            // the connection is gone, and the next call makes another
            assertThat(EchoCalls.echo(channel, controller, "y")).isEqualTo("y");
        }
    }

    /** The device fails in the middle of sending; the same request then goes out over TCP. */
    @ParameterizedTest
    @ValueSource(longs = {WRONG_LKEY, BlockPool.NOT_REGISTERED})
    void rdmaFailureRetriedOnTcp(long lkey) {
        open(2);
        ChannelOptions options = RDMA_CHANNEL.withMaxRetry(1).withRdmaFailureRetriedOnTcp(true);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), options);
        try (Arena arena = Arena.ofShared();
                ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "warm")).isEqualTo("warm");
            assertThat(controller.isRdma()).isTrue();
            controller.reset();
            AtomicInteger released = new AtomicInteger();
            MemorySegment memory = arena.allocate(4096).fill((byte) 7);
            controller.requestAttachment().appendUserData(memory, lkey, released::incrementAndGet);

            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");

            assertThat(controller.isRdma()).isFalse();
            assertThat(controller.responseAttachment().toByteArray()).hasSize(4096).containsOnly(7);
            controller.reset();
            RpcFixture.eventually(() -> released.get() == 1, () -> "released " + released);
            assertThat(EchoCalls.echo(channel, controller, "y")).isEqualTo("y");
            assertThat(controller.isRdma()).as("the next call").isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsWithUserDefinedIobuf(int version) {
        open(version);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL);
        BlockPool pool = fixture.clientSide.pool;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 16, 4096);
            for (int i = 0; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + i / 256));
            }
            try (ClientController controller = channel.controller()) {
                controller.requestAttachment().append("warm");
                EchoCalls.echo(channel, controller, "x");
            }
            shouldRefuse(channel, memory);
            UserMemory registered = pool.register(memory);
            int[] offsets = {0, 1, 3, 511, 4095, 8191};
            for (int offset : offsets) {
                shouldEcho(channel, registered, memory, offset);
            }
            registered.close();
        }
    }

    private static void shouldRefuse(Channel channel, MemorySegment memory) {
        AtomicInteger released = new AtomicInteger();
        try (ClientController controller = channel.controller()) {
            controller
                    .requestAttachment()
                    .appendUserData(
                            memory.asSlice(0, 4096),
                            BlockPool.NOT_REGISTERED,
                            released::incrementAndGet);
            EchoCalls.echo(channel, controller, "x");
            assertThat(controller.errorCode()).isEqualTo(RpcError.ERDMAMEM.code());
        }
        RpcFixture.eventually(() -> released.get() == 1, () -> "released " + released);
    }

    private static void shouldEcho(
            Channel channel, UserMemory registered, MemorySegment memory, int offset) {
        AtomicInteger released = new AtomicInteger();
        int length = 20_000;
        try (ClientController controller = channel.controller()) {
            controller
                    .requestAttachment()
                    .appendUserData(registered, offset, length, released::incrementAndGet);
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            assertThat(controller.responseAttachment().toByteArray())
                    .isEqualTo(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        }
        RpcFixture.eventually(() -> released.get() == 1, () -> "released " + released);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void rdmaFailureIsRetriedOnTcp(int version) {
        open(version);
        Server server = fixture.server(RDMA_SERVER);
        Channel channel =
                fixture.channel(
                        server, RDMA_CHANNEL.withRdmaFailureRetriedOnTcp(true).withMaxRetry(1));
        MemorySegment unregistered = Arena.global().allocate(5000);
        try (ClientController controller = channel.controller()) {
            controller.requestAttachment().append("registered");
            EchoCalls.echo(channel, controller, "warm");
            controller.reset();
            controller
                    .requestAttachment()
                    .appendUserData(unregistered, BlockPool.NOT_REGISTERED, () -> {});

            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            assertThat(controller.retriedCount()).isEqualTo(1);
            assertThat(controller.responseAttachment().size()).isEqualTo(5000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void tryMemoryPoolEmpty(int version) {
        open(version, RpcFixture.POOL.withSizesMb(32, 32).withDivision(1, 1, 0));
        Channel channel =
                fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL.withTimeoutMs(1000));
        List<Controller> holding = new ArrayList<>();
        int failures = 0;
        // what is answered is kept, until the pool has nothing left
        for (int i = 0; i < 64 && failures < 2; i++) {
            ClientController controller = channel.controller();
            holding.add(controller);
            failures += isEchoed(channel, controller) ? 0 : 1;
        }
        holding.forEach(Controller::close);

        assertThat(failures).as("the pool is empty").isEqualTo(2);
        // and works again
        RpcFixture.eventually(
                () -> {
                    try (ClientController controller = channel.controller()) {
                        return EchoCalls.echo(channel, controller, "after").equals("after");
                    }
                },
                () -> "no call works any more");
    }

    private static boolean isEchoed(Channel channel, ClientController controller) {
        try {
            controller.requestAttachment().append(new byte[1 << 20]);
            return !EchoCalls.echo(channel, controller, "x").isEmpty();
        } catch (BlockPoolException e) {
            return false;
        }
    }
}
