// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.UserMemory;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The RPC cases of brpc's own tests of RDMA, by their names, with both versions of the hello. */
class RdmaCasesTest {
    private static final int CALLS = 1024;
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
        try (Controller controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "hello")).isEqualTo("hello");
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
            try (Controller controller = channel.controller()) {
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
    }

    /** {@return how many calls ended with each allowed code} */
    private Outcomes manyCalls(Channel channel, int calls, int attachmentSize, Runnable midway) {
        Outcomes outcomes = new Outcomes(calls);
        byte[] attachment = new byte[attachmentSize];
        for (int i = 0; i < calls; i++) {
            Controller controller = channel.controller();
            controller.requestAttachment().append(attachment);
            int number = i;
            channel.callMethod(
                    EchoCalls.ECHO,
                    controller,
                    EchoCalls.request(String.valueOf(i)),
                    EchoResponse.getDefaultInstance(),
                    answer -> outcomes.end(number, controller, (EchoResponse) answer));
            if (i == calls / 2) {
                midway.run();
            }
        }
        outcomes.await();
        return outcomes;
    }

    /** How each call ended; each must end once. */
    private static final class Outcomes {
        private final CountDownLatch left;
        private final AtomicIntegerArray codes;
        private final AtomicInteger wrong = new AtomicInteger();

        Outcomes(int calls) {
            left = new CountDownLatch(calls);
            codes = new AtomicIntegerArray(calls);
            for (int i = 0; i < calls; i++) {
                codes.set(i, -1);
            }
        }

        void end(int number, Controller controller, EchoResponse answer) {
            boolean isRight =
                    controller.failed() || answer.getMessage().equals(String.valueOf(number));
            if (codes.getAndSet(number, controller.errorCode()) != -1 || !isRight) {
                wrong.incrementAndGet();
            }
            controller.close();
            left.countDown();
        }

        void await() {
            try {
                assertThat(left.await(30, TimeUnit.SECONDS)).as("all calls end").isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            assertThat(wrong.get()).as("calls that ended twice or wrong").isZero();
        }

        Set<Integer> codes() {
            Set<Integer> seen = new TreeSet<>();
            for (int i = 0; i < codes.length(); i++) {
                seen.add(codes.get(i));
            }
            return seen;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsInOneQp(int version) {
        open(version);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL);

        assertThat(manyCalls(channel, CALLS, 0, () -> {}).codes()).containsExactly(0);
        assertThat(manyCalls(channel, CALLS, 4096, () -> {}).codes()).containsExactly(0);
        assertThat(manyCalls(channel, 32, 1 << 20, () -> {}).codes())
                .isSubsetOf(0, RpcError.EOVERCROWDED.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcInManyQp(int version) {
        open(version);
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            servers.add(fixture.server(RDMA_SERVER));
        }
        for (int i = 0; i < 32; i++) {
            Channel channel =
                    fixture.channel(
                            servers.get(i % servers.size()),
                            RDMA_CHANNEL.withConnectionGroup("group " + i));
            assertThat(manyCalls(channel, 4, 4096, () -> {}).codes()).containsExactly(0);
        }
        assertThat(servers.getFirst().connections()).hasSize(8).allMatch(Connection::isRdma);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsAsPooledConnection(int version) {
        open(version);
        Channel channel =
                fixture.channel(
                        fixture.server(RDMA_SERVER),
                        RDMA_CHANNEL.withConnectionType(ConnectionType.POOLED));

        for (int i = 0; i < 8; i++) {
            assertThat(manyCalls(channel, 16, 4096, () -> {}).codes()).containsExactly(0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sendRpcsAsShortConnection(int version) {
        open(version);
        Channel channel =
                fixture.channel(
                        fixture.server(RDMA_SERVER),
                        RDMA_CHANNEL.withConnectionType(ConnectionType.SHORT));

        for (int i = 0; i < 8; i++) {
            assertThat(manyCalls(channel, 8, 4096, () -> {}).codes()).containsExactly(0);
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

        Outcomes outcomes =
                manyCalls(
                        channel,
                        CALLS,
                        16,
                        () -> Thread.ofVirtual().name("closer").start(server::close));

        assertThat(outcomes.codes())
                .isSubsetOf(
                        0,
                        RpcError.EEOF.code(),
                        RpcError.ELOGOFF.code(),
                        RpcError.ECONNREFUSED.code(),
                        RpcError.ECONNRESET.code(),
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
    void sendRpcsWithUserDefinedIobuf(int version) {
        open(version);
        Channel channel = fixture.channel(fixture.server(RDMA_SERVER), RDMA_CHANNEL);
        BlockPool pool = fixture.clientSide.pool;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 16, 4096);
            for (int i = 0; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + i / 256));
            }
            try (Controller controller = channel.controller()) {
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
        try (Controller controller = channel.controller()) {
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
        try (Controller controller = channel.controller()) {
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
        try (Controller controller = channel.controller()) {
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
            Controller controller = channel.controller();
            holding.add(controller);
            failures += isEchoed(channel, controller) ? 0 : 1;
        }
        holding.forEach(Controller::close);

        assertThat(failures).as("the pool is empty").isEqualTo(2);
        // and works again
        RpcFixture.eventually(
                () -> {
                    try (Controller controller = channel.controller()) {
                        return EchoCalls.echo(channel, controller, "after").equals("after");
                    }
                },
                () -> "no call works any more");
    }

    private static boolean isEchoed(Channel channel, Controller controller) {
        try {
            controller.requestAttachment().append(new byte[1 << 20]);
            return !EchoCalls.echo(channel, controller, "x").isEmpty();
        } catch (BlockPoolException e) {
            return false;
        }
    }
}
