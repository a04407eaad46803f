// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that lie: each loses its own connection, and nobody else loses anything. */
class HostilePeerTest {
    private static final int MAX = 1 << 20;
    private static final SocketOptions OPTIONS = Stacks.NATIVE.withLimits(MAX, MAX, MAX);

    /** A server under test, a connection of a well-behaved client, and a raw one. */
    private static final class Scene implements AutoCloseable {
        final Stacks stacks = new Stacks(OPTIONS);
        final Stacks.Pair good = stacks.pair();
        final RawPeer raw;
        final RdmaSocket ours;

        Scene(boolean isNative) throws Exception {
            byte[] greeting = isNative ? new Greeting(14, 4096).toBytes() : new byte[0];
            raw = RawPeer.connect(stacks.server.localAddress(), greeting);
            raw.sendNodeId(66);
            ours = stacks.server.accept(Stacks.LONG);
            raw.next();
        }

        RawPeer connectAnother() throws Exception {
            RawPeer another = RawPeer.connect(stacks.server.localAddress(), new byte[0]);
            another.sendNodeId(67);
            return another;
        }

        /** The connection ends, for the reason given, and the other one lives. */
        void assertCut(String reason) throws IOException {
            assertThatThrownBy(() -> Stacks.next(ours))
                    .isInstanceOf(IOException.class)
                    .hasStackTraceContaining(reason);
            assertThatThrownBy(() -> ours.send(Stacks.text("x"))).isInstanceOf(IOException.class);
            raw.awaitEnd();
            good.client().send(Stacks.text("still here"));
            assertThat(Stacks.next(good.server())).isEqualTo("still here");
        }

        @Override
        public void close() {
            stacks.close();
            raw.close();
        }
    }

    @Test
    void shouldRefuseClientThatAnswersNoReads() throws Exception {
        try (Stacks stacks = new Stacks(OPTIONS)) {
            assertThatThrownBy(() -> RawPeer.connect(stacks.server.localAddress(), new byte[0], 0))
                    .hasMessageContaining("refused");
            Stacks.Pair pair = stacks.pair();
            pair.client().send(Stacks.text("others may"));
            assertThat(Stacks.next(pair.server())).isEqualTo("others may");
        }
    }

    @Test
    void shouldRefuseServerThatAnswersNoReads() throws Exception {
        try (Stacks stacks = new Stacks(OPTIONS);
                RawPeer.Listening listening = new RawPeer.Listening()) {
            CompletableFuture<RawPeer> accepting = new CompletableFuture<>();
            Thread.ofVirtual()
                    .name("raw-accept")
                    .start(
                            () -> {
                                try {
                                    accepting.complete(listening.accept(new byte[0], 0));
                                } catch (Exception e) {
                                    accepting.completeExceptionally(e);
                                }
                            });
            assertThatThrownBy(() -> RdmaSocket.connect(stacks.clientStack, listening.address(), 1))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("responder_resources");
            accepting.get().close();
        }
    }

    static Stream<Arguments> lies() {
        return Stream.of(
                lie("ACK of what was never sent", "in flight", p -> p.send(ack(4711, 1))),
                lie("ACK of nothing", "in flight", p -> p.send(ack(0, 0))),
                lie("ACK with a wild address", "in flight", p -> p.send(ack(-1, -1))),
                lie("unknown type", "type: 13", p -> p.send(meta(13, 0))),
                lie("negative length", "length: -1", p -> p.send(meta(15, -1))),
                lie("length over the limit", "length", p -> p.send(meta(15, MAX + 1L))),
                lie("length of a whole address space", "length", p -> p.send(meta(15, 1L << 62))),
                lie("short message", "39 bytes", p -> p.send(new byte[39])),
                lie("long message", "41 bytes", p -> p.send(new byte[41])),
                lie("a frame", "a frame", p -> p.sendWithImmediate(new byte[16], 0)),
                lie("message after CLOSE", "after CLOSE", HostilePeerTest::sendAfterClose));
    }

    private static Arguments lie(String name, String reason, Consumer<RawPeer> act) {
        return Arguments.argumentSet(name, reason, act);
    }

    private static byte[] ack(long address, long cookie) {
        return RawPeer.metaData(14, 0, 4, address, cookie, 0);
    }

    private static byte[] meta(int type, long length) {
        return RawPeer.metaData(type, 0, length, 4096, 1, 1);
    }

    private static void sendAfterClose(RawPeer peer) {
        peer.send(meta(16, 0));
        peer.send(meta(15, 4));
    }

    @ParameterizedTest
    @MethodSource("lies")
    void shouldCutPeerOfOlderProtocolThatLies(String reason, Consumer<RawPeer> act)
            throws Exception {
        try (Scene scene = new Scene(false)) {
            act.accept(scene.raw);

            if (reason.equals("after CLOSE")) {
                assertThat(Stacks.next(scene.ours)).isEqualTo("(end)");
                scene.raw.awaitEnd();
            } else {
                scene.assertCut(reason);
            }
        }
    }

    static Stream<Arguments> nativeLies() {
        return Stream.of(
                lie("ACK message", "in flight", p -> p.send(ack(0, 0))),
                lie(
                        "reads never announced",
                        "reads",
                        p -> p.sendWithImmediate(frame(1, 1), 1 << 16)),
                lie("credits never owed", "credits", p -> p.sendWithImmediate(frame(1, 1), 500)),
                lie("record too long", "record", p -> p.sendWithImmediate(frame(9, 1), 0)),
                lie("negative record", "record", p -> p.sendWithImmediate(frame(-5, 1), 0)),
                lie("half a header", "record", p -> p.sendWithImmediate(new byte[4], 0)),
                lie("frame too long", "", p -> p.sendWithImmediate(new byte[4097], 0)));
    }

    /** A frame of one record with a claimed length and an actual number of bytes. */
    private static byte[] frame(int length, int bytes) {
        return ByteBuffer.allocate(8 + (bytes + 7 & -8))
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .array();
    }

    @ParameterizedTest
    @MethodSource("nativeLies")
    void shouldCutNativePeerThatLies(String reason, Consumer<RawPeer> act) throws Exception {
        try (Scene scene = new Scene(true)) {
            act.accept(scene.raw);

            if (reason.equals("reads") || reason.equals("credits")) {
                // the frame itself was valid
                Stacks.next(scene.ours);
            }
            scene.assertCut(reason);
        }
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(booleans = {true, false})
    void shouldCutPeerThatExceedsItsCredits(boolean isNative) throws Exception {
        try (Scene scene = new Scene(isNative)) {
            for (int i = 0;
                    i < 200 && scene.raw.lastFailure() == WorkCompletionStatus.SUCCESS;
                    i++) {
                if (isNative) {
                    scene.raw.sendWithImmediate(frame(8, 8), 0);
                } else {
                    // so long that nothing is read ahead for a user who does not read
                    scene.raw.send(RawPeer.metaData(15, 0, MAX, 8, i + 1L, scene.raw.rkey()));
                }
            }

            scene.raw.awaitEnd();
        }
    }

    @Test
    void shouldFailIfAnnouncedMemoryCannotBeRead() throws Exception {
        try (Scene scene = new Scene(false)) {
            scene.raw.send(RawPeer.metaData(15, 0, 100, 12_345, 1, 0x1234_5678));

            scene.assertCut("REMOTE_ACCESS");
        }
    }

    @Test
    void shouldNotLetPeerWriteWhatItMayRead() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.SEED)) {
            OutgoingMemory outgoing = new OutgoingMemory(stacks.serverStack.memory());
            Payload payload = outgoing.tryAllocate(100).orElseThrow();
            assertThat(payload.rkey()).isNotZero();
            payload.release();
            outgoing.close();
            assertThat(stacks.serverStack.memory().tryIncoming(100).orElseThrow())
                    .satisfies(
                            incoming -> {
                                assertThat(incoming.rkey()).isZero();
                                incoming.release();
                            });
        }
    }

    /** Both are clients of one stack; each has a message that it has not read yet. */
    @ParameterizedTest
    @ValueSource(ints = {100, 300_000})
    void shouldNotLetPeerReadWhatIsForAnother(int length) throws Exception {
        try (Scene scene = new Scene(false);
                RawPeer spy = scene.connectAnother()) {
            RdmaSocket toSpy = scene.stacks.server.accept(Stacks.LONG);
            spy.next();
            scene.ours.send(ByteBuffer.allocate(length).put(0, (byte) 's'));
            toSpy.send(ByteBuffer.allocate(length));
            ByteBuffer secret = scene.raw.next().fields();
            ByteBuffer bait = spy.next().fields();
            long address = secret.getLong(RawPeer.ADDRESS_AT);

            spy.read(address, bait.getInt(RawPeer.KEY_AT), 1);

            assertThat(spy.lastFailure()).isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
            assertThat(scene.raw.read(address, secret.getInt(RawPeer.KEY_AT), 1)[0])
                    .isEqualTo((byte) 's');
        }
    }

    /** The memory of a connection is used again for the same peer, and goes when it does. */
    @Test
    void shouldKeepMemoryOfOnePeerForThatPeer() throws Exception {
        try (Scene scene = new Scene(false)) {
            MessageMemory memory = scene.stacks.serverStack.memory();
            long before = memory.readableBytes();
            // two megabytes; a busy machine may be some acknowledgements behind
            for (int i = 0; i < 400; i++) {
                scene.ours.send(ByteBuffer.allocate(5000));
                ByteBuffer announced = scene.raw.next().fields();
                scene.raw.send(
                        ack(
                                announced.getLong(RawPeer.ADDRESS_AT),
                                announced.getLong(RawPeer.ADDRESS_AT + Long.BYTES)));
            }
            assertThat(memory.readableBytes()).isBetween(before, 1L << 20);

            scene.ours.abort();

            Eventually.be(0L, memory::readableBytes);
        }
    }

    @Test
    void shouldDeliverWhatCameAndThenFailIfPeerDies() throws Exception {
        try (Scene scene = new Scene(false)) {
            scene.raw.announce("last words", 0);
            scene.raw.next();
            scene.raw.disconnect();

            assertThat(Stacks.next(scene.ours)).isEqualTo("last words");
            scene.assertCut("without closing");
        }
    }

    @Test
    void shouldHandMessagesToHandlerWhereTheyLie() throws Exception {
        try (Stacks stacks = new Stacks(OPTIONS)) {
            Stacks.Pair pair = stacks.pair();
            pair.client().sendMore(Stacks.text("abc"));
            StringBuilder seen = new StringBuilder();

            Eventually.become(() -> poll(pair.server(), seen) == 1, () -> seen);

            assertThat(seen).hasToString("7:128:3");
        }
    }

    private static int poll(RdmaSocket socket, StringBuilder seen) {
        MessageHandler handler =
                (int node, int flag, MemorySegment memory, long offset, int length) ->
                        seen.append(node).append(':').append(flag).append(':').append(length);
        try {
            return socket.poll(handler, 10);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
