// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes of the {@code rdma_socket} protocol, seen from a peer that knows nothing else. */
class SeedProtocolTest {
    private static final byte[] NONE = {};

    /** One side is the socket under test, the other is raw. */
    private record Dialog(
            SocketStack stack, RdmaSocket ours, RawPeer raw, java.io.Closeable listener)
            implements AutoCloseable {
        @Override
        public void close() throws IOException {
            stack.close();
            raw.close();
            listener.close();
        }
    }

    /** The socket under test connects, as node 9. */
    private static Dialog connectToRaw(Compatibility offer) throws Exception {
        RawPeer.Listening listening = new RawPeer.Listening();
        SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.options(offer));
        CompletableFuture<RdmaSocket> socket = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("connect")
                .start(
                        () -> {
                            try {
                                socket.complete(RdmaSocket.connect(stack, listening.address(), 9));
                            } catch (Exception e) {
                                socket.completeExceptionally(e);
                            }
                        });
        RawPeer raw = listening.accept(NONE);
        return new Dialog(stack, socket.get(20, TimeUnit.SECONDS), raw, listening::close);
    }

    /** The raw peer connects, as node 5. */
    private static Dialog connectToOurs(Compatibility offer) throws Exception {
        SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.options(offer));
        RdmaServerSocket server = RdmaServerSocket.bind(stack, Stacks.anyPort());
        RawPeer raw = RawPeer.connect(server.localAddress(), NONE);
        raw.sendNodeId(5);
        assertThat(raw.next().fields().getInt(0)).isEqualTo(14);
        return new Dialog(stack, server.accept(Stacks.LONG), raw, server);
    }

    /** Reads and acknowledges one message of the socket under test; {@return its bytes} */
    private static byte[] takeMessage(RawPeer raw, int flag) {
        RawPeer.Received normal = raw.next();
        ByteBuffer fields = normal.fields();
        assertThat(normal.hasImmediate()).isFalse();
        assertThat(normal.bytes()).hasSize(40);
        assertThat(fields.getInt(0)).as("type").isEqualTo(15);
        assertThat(fields.getInt(4)).as("flag").isEqualTo(flag);
        assertThat(fields.getInt(36)).as("padding").isZero();
        int length = (int) fields.getLong(8);
        byte[] bytes = length == 0 ? NONE : raw.read(fields.getLong(16), fields.getInt(32), length);
        raw.send(acknowledgement(normal.bytes()));
        return bytes;
    }

    private static byte[] acknowledgement(byte[] normal) {
        byte[] ack = normal.clone();
        ack[0] = 14;
        return ack;
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldSendNodeIdFirstAndThenMessages(Compatibility offer) throws Exception {
        try (Dialog dialog = connectToRaw(offer)) {
            byte[] id = takeMessage(dialog.raw, 0);
            dialog.ours.send(Stacks.text("hello"));
            dialog.ours.sendMore(Stacks.text("part"));

            assertThat(id).containsExactly(9, 0, 0, 0);
            assertThat(takeMessage(dialog.raw, 0))
                    .isEqualTo("hello".getBytes(StandardCharsets.UTF_8));
            assertThat(takeMessage(dialog.raw, 128))
                    .isEqualTo("part".getBytes(StandardCharsets.UTF_8));
            assertThat(dialog.ours.isNative()).isFalse();
        }
    }

    @Test
    void shouldOfferNothingInPrivateDataIfOnlyOlderProtocolIsWanted() throws Exception {
        try (Dialog dialog = connectToRaw(Compatibility.SEED)) {
            assertThat(dialog.raw.privateData).doesNotContain((byte) 'V', (byte) 'B');
        }
        try (Dialog dialog = connectToRaw(Compatibility.NATIVE)) {
            assertThat(dialog.raw.privateData)
                    .startsWith('V', 'B', 'N', 'S', 1, 0, 0, 0, 14, 0, 0, 0, 0, 16, 0, 0);
        }
    }

    @Test
    void shouldSendEmptyMessageWithoutAddresses() throws Exception {
        try (Dialog dialog = connectToRaw(Compatibility.SEED)) {
            takeMessage(dialog.raw, 0);

            dialog.ours.send(ByteBuffer.allocate(0));
            RawPeer.Received normal = dialog.raw.next();

            assertThat(normal.bytes()).isEqualTo(RawPeer.metaData(15, 0, 0, 0, 0, 0));
            dialog.raw.send(acknowledgement(normal.bytes()));
            dialog.ours.close();
            assertThat(dialog.raw.next().fields().getInt(0)).isEqualTo(16);
        }
    }

    @ParameterizedTest
    @EnumSource(Compatibility.class)
    void shouldReadMessageThenAcknowledgeItUnchanged(Compatibility offer) throws Exception {
        try (Dialog dialog = connectToOurs(offer)) {
            long address = dialog.raw.announce("from C", 0);

            String text = Stacks.next(dialog.ours);
            RawPeer.Received ack = dialog.raw.next();

            assertThat(dialog.ours.nodeId()).isEqualTo(5);
            assertThat(text).isEqualTo("from C");
            assertThat(ack.bytes())
                    .isEqualTo(RawPeer.metaData(14, 0, 6, address, 77, dialog.raw.rkey()));
        }
    }

    @Test
    void shouldAcknowledgeEmptyMessage() throws Exception {
        try (Dialog dialog = connectToOurs(Compatibility.SEED)) {
            dialog.raw.announce("", 128);

            try (IncomingMessage message = dialog.ours.receiveMessage().orElseThrow()) {
                assertThat(message.length()).isZero();
                assertThat(message.hasMore()).isTrue();
            }
            assertThat(dialog.raw.next().bytes())
                    .isEqualTo(RawPeer.metaData(14, 128, 0, 0, 0, dialog.raw.rkey()));
        }
    }

    @Test
    void shouldStopAtFiftyUnacknowledgedMessages() throws Exception {
        try (Dialog dialog = connectToRaw(Compatibility.SEED)) {
            takeMessage(dialog.raw, 0);
            for (int i = 0; i < 50; i++) {
                dialog.ours.send(Stacks.text("message " + i));
            }
            byte[][] normals = new byte[50][];
            for (int i = 0; i < 50; i++) {
                normals[i] = dialog.raw.next().bytes();
            }
            dialog.ours.send(Stacks.text("one too many"));
            assertThat(dialog.raw.hasNext()).isFalse();

            // in any order: messages are freed by what names them
            dialog.raw.send(acknowledgement(normals[31]));

            RawPeer.Received next = dialog.raw.next();
            byte[] bytes =
                    dialog.raw.read(
                            next.fields().getLong(16),
                            next.fields().getInt(32),
                            (int) next.fields().getLong(8));
            assertThat(bytes).isEqualTo("one too many".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldWaitForAcknowledgementsBeforeClose() throws Exception {
        try (Dialog dialog = connectToRaw(Compatibility.SEED)) {
            takeMessage(dialog.raw, 0);
            dialog.ours.send(Stacks.text("last"));
            CompletableFuture<Void> closed =
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    dialog.ours.close();
                                } catch (java.io.IOException e) {
                                    throw new AssertionError(e);
                                }
                            });

            byte[] bytes = takeMessage(dialog.raw, 0);
            RawPeer.Received close = dialog.raw.next();

            assertThat(bytes).isEqualTo("last".getBytes(StandardCharsets.UTF_8));
            assertThat(close.bytes()).isEqualTo(RawPeer.metaData(16, 0, 0, 0, 0, 0));
            closed.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldTreatCloseAsEndOfStream() throws Exception {
        try (Dialog dialog = connectToOurs(Compatibility.SEED)) {
            dialog.raw.announce("one", 0);
            dialog.raw.announce("two", 0);
            dialog.raw.send(RawPeer.metaData(16, 0, 0, 0, 0, 0));
            // its memory can be read only while it is connected: until it has the acknowledgements
            dialog.raw.next();
            dialog.raw.next();
            dialog.raw.disconnect();

            assertThat(Stacks.next(dialog.ours)).isEqualTo("one");
            assertThat(Stacks.next(dialog.ours)).isEqualTo("two");
            assertThat(Stacks.next(dialog.ours)).isEqualTo("(end)");
        }
    }

    @Test
    void shouldHoldBackAcknowledgementsOfUnreadMessages() throws Exception {
        SocketOptions small = Stacks.SEED.withLimits(1 << 20, 3000, 1 << 20);
        try (SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, small);
                RdmaServerSocket server = RdmaServerSocket.bind(stack, Stacks.anyPort());
                RawPeer raw = RawPeer.connect(server.localAddress(), NONE)) {
            raw.sendNodeId(1);
            raw.next();
            RdmaSocket ours = server.accept(Stacks.LONG);
            String text = "x".repeat(1000);
            for (int i = 0; i < 10; i++) {
                raw.announce(text, 0);
            }

            for (int i = 0; i < 3; i++) {
                raw.next();
            }
            assertThat(raw.hasNext()).isFalse();
            assertThat(ours.endpoint().intake().unreadBytes()).isEqualTo(3000);

            for (int i = 0; i < 10; i++) {
                assertThat(Stacks.next(ours)).isEqualTo(text);
            }
            for (int i = 3; i < 10; i++) {
                raw.next();
            }
        }
    }

    @Test
    void shouldNotAcceptConnectionThatNeverSaysItsNodeId() throws Exception {
        SocketOptions hasty =
                Stacks.SEED.withTimes(Duration.ZERO, Duration.ofMillis(50), Duration.ofMillis(50));
        try (SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, hasty);
                RdmaServerSocket server = RdmaServerSocket.bind(stack, Stacks.anyPort());
                RawPeer raw = RawPeer.connect(server.localAddress(), NONE)) {
            raw.awaitEnd();

            assertThatThrownBy(() -> server.accept(Duration.ofMillis(1)))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }
}
