// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.verbena.memory.IOBuf;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every connection guarantees when foreign code fails, or memory; whatever carries bytes. */
abstract class ConnectionFaultConformance {
    private final RecordingHandler handler = new RecordingHandler();
    private ConnectionFixture fixture;

    /** {@return what carries the bytes} */
    abstract SocketMode mode();

    @BeforeEach
    void open() {
        fixture = new ConnectionFixture(mode(), ConnectionFixture.FLAGS);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Connection connect(TransportServer server) throws Exception {
        return fixture.client().open(server.localAddress(), handler).get(20, TimeUnit.SECONDS);
    }

    /** The thread that called it goes on: another connection to the same server works. */
    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndAConnectionWhoseHandlerFails(Thrown thrown) throws Exception {
        RecordingHandler faulty =
                new RecordingHandler() {
                    @Override
                    public void onData(Connection connection, IOBuf received) {
                        thrown.raise();
                    }
                };
        AtomicInteger accepted = new AtomicInteger();
        RecordingHandler sound = new RecordingHandler();
        TransportServer server =
                fixture.server(() -> accepted.getAndIncrement() == 0 ? faulty : sound);
        Connection connection = connect(server);

        connection.write(fixture.text("PRPC"));

        assertThat(faulty.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
        fixture.client()
                .open(server.localAddress(), new RecordingHandler())
                .get(20, TimeUnit.SECONDS)
                .write(fixture.text("PRPC"));
        sound.awaitText("PRPC");
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldWriteOnWhenAReleaseCallbackFails(Thrown thrown) throws Exception {
        RecordingHandler peer = new RecordingHandler();
        AtomicInteger released = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(100_000).fill((byte) 7);
            Connection connection = connect(fixture.server(() -> peer));

            for (int i = 0; i < 4; i++) {
                connection.write(fixture.userData(memory, () -> countAndRaise(released, thrown)));
            }

            Eventually.become(() -> peer.bytes().length == 400_000, connection::statistics);
            Eventually.be(4, released::get);
            Eventually.be(0L, connection::unwrittenBytes);
            connection.close();
            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
            fixture.closeUserMemory();
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndAlthoughReleaseCallbacksFail(Thrown thrown) throws Exception {
        AtomicInteger released = new AtomicInteger();
        try (Arena arena = Arena.ofShared();
                StuckHandler peer = new StuckHandler()) {
            MemorySegment memory = arena.allocate(8 << 20);
            Connection connection = connect(fixture.server(() -> peer));
            for (int i = 0; i < 4; i++) {
                connection.write(fixture.userData(memory, () -> countAndRaise(released, thrown)));
            }

            connection.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
            Eventually.be(4, released::get);
            Eventually.be(0L, connection::unwrittenBytes);
            Eventually.be(0, fixture::clientEndpointCount);
            fixture.closeUserMemory();
        }
    }

    private static void countAndRaise(AtomicInteger released, Thrown thrown) {
        released.incrementAndGet();
        thrown.raise();
    }

    /** Closing takes memory, for example. */
    @Test
    void shouldTellTheEndAlthoughItsSocketCannotBeClosedAtFirst() throws Exception {
        SocketConnection connection = (SocketConnection) connect(fixture.server());
        AtomicInteger closes = new AtomicInteger();
        connection.attach(
                Thrown.OUT_OF_MEMORY.in(
                        Channel.class,
                        connection.channel(),
                        () -> closes.getAndIncrement() == 0,
                        "close"));

        connection.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
        Eventually.be(2, closes::get);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldForgetAConnectionThatHasNoHandler(Thrown thrown) throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        TransportServer server =
                fixture.server(
                        ConnectionFixture.FLAGS.with(TransportFlag.MAX_CONNECTIONS_PER_ADDRESS, 1),
                        () -> {
                            if (accepted.getAndIncrement() == 0) {
                                thrown.raise();
                            }
                            return new ParsingEcho();
                        });
        RecordingHandler refused = new RecordingHandler();
        fixture.client().connect(server.localAddress(), refused);
        refused.awaitClose();

        connect(server).write(fixture.text("PRPC"));

        handler.awaitText("PRPC");
        assertThat(server.droppedConnections()).isZero();
    }
}
