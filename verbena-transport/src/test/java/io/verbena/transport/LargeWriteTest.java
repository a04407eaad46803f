// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import io.verbena.testing.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One write of more bytes than Netty counts in an int. */
class LargeWriteTest {
    private static final int PIECE = 1 << 20;
    private static final int PIECES = (1 << 11) + 1;

    /** Counts what arrives. */
    private record Counter(AtomicLong bytes) implements ConnectionHandler {
        @Override
        public void onOpen(Connection connection) {}

        @Override
        public void onData(Connection connection, IOBuf received) {
            bytes.addAndGet(received.size());
            received.clear();
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {}
    }

    @Test
    void shouldSendAllOfIt() throws Exception {
        AtomicLong arrived = new AtomicLong();
        AtomicInteger released = new AtomicInteger();
        try (Arena arena = Arena.ofShared();
                ConnectionFixture fixture =
                        new ConnectionFixture(SocketMode.TCP, ConnectionFixture.FLAGS)) {
            TransportServer server = fixture.server(() -> new Counter(arrived));
            Connection connection =
                    fixture.client()
                            .open(server.localAddress(), new Counter(new AtomicLong()))
                            .get(20, TimeUnit.SECONDS);
            MemorySegment piece = arena.allocate(PIECE);
            IOBuf large = fixture.text("");
            for (int i = 0; i < PIECES; i++) {
                fixture.userData(piece, released::incrementAndGet).cutInto(large, PIECE);
            }

            connection.write(large);

            Eventually.be((long) PIECE * PIECES, arrived::get);
            Eventually.be(0L, connection::unwrittenBytes);
            Eventually.be(PIECES, released::get);
            connection.close();
        }
    }
}
