// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Seeds;
import io.verbena.transport.SocketMode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Connections with a few bytes changed are answered or closed; never anything else. */
class Http2FuzzTest {
    private static final int ROUNDS = Integer.getInteger("verbena.fuzz.connections", 2000);
    private static final long SEED = Seeds.next("Http2FuzzTest");

    private static final byte[] REQUEST = {0, 0, 0, 0, 7, 10, 5, 'h', 'e', 'l', 'l', 'o'};

    @Test
    void shouldSurviveMutatedConnections() throws IOException {
        Random random = new Random(SEED);
        int closed = 0;
        try (GrpcFixture fixture = new GrpcFixture(SocketMode.TCP)) {
            Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
            GrpcPeer other = fixture.peer(server);
            for (int round = 0; round < ROUNDS; round++) {
                try (RawHttp2 client = new RawHttp2(server.address().getPort())) {
                    client.bytes(mutated(random));
                    client.end();
                    closed += client.awaitGoAway() > 0 ? 1 : 0;
                }
                if (round % 100 == 0) {
                    assertThat(other.echo("alive").getMessage())
                            .as("seed %d, round %d", SEED, round)
                            .isEqualTo("alive");
                }
            }
        }
        // Both happen all the time, or the test looks at nothing.
        assertThat(closed).as("seed %d", SEED).isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    private static byte[] mutated(Random random) {
        byte[] bytes = session(random);
        int changes = random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            // the preface decides only whether this is HTTP/2
            int at =
                    RawHttp2.PREFACE.length
                            + random.nextInt(bytes.length - RawHttp2.PREFACE.length);
            bytes[at] =
                    (byte)
                            (random.nextBoolean()
                                    ? random.nextInt(256)
                                    : bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }

    private static byte[] session(Random random) {
        ByteArrayOutputStream session = new ByteArrayOutputStream();
        session.writeBytes(RawHttp2.PREFACE);
        session.writeBytes(
                RawHttp2.frameBytes(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 4, 0, 1, 0, 0}));
        String[] methods = {"Echo", "EchoInline", "Collect", "Repeat", "Chat", "Nothing"};
        for (int id = 1; id <= 5; id += 2) {
            String path = "/test.EchoService/" + methods[random.nextInt(methods.length)];
            session.writeBytes(
                    RawHttp2.frameBytes(
                            RawHttp2.HEADERS, RawHttp2.END_HEADERS, id, RawHttp2.request(path)));
            session.writeBytes(
                    RawHttp2.frameBytes(RawHttp2.DATA, RawHttp2.END_STREAM, id, REQUEST));
        }
        session.writeBytes(RawHttp2.frameBytes(RawHttp2.PING, 0, 0, new byte[8]));
        session.writeBytes(
                RawHttp2.frameBytes(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 1, 0}));
        return session.toByteArray();
    }
}
