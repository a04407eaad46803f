// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection with bad input is closed; others live, and no memory is lost. */
class Http2BadInputTest {
    private static final int MANY = 20_000;

    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
    private final GrpcPeer other = fixture.peer(server);

    @AfterEach
    void close() {
        assertThat(other.echo("alive").getMessage()).isEqualTo("alive");
        fixture.close();
    }

    private long goAwayAfter(Consumer<RawHttp2> input) throws IOException {
        assertThat(other.echo("alive").getMessage()).isEqualTo("alive");
        try (RawHttp2 client = RawHttp2.open(server.address().getPort())) {
            input.accept(client);
            return client.awaitGoAway();
        }
    }

    /** A flood may be cut off before the client has read why. */
    private void assertCalmed(Consumer<RawHttp2> flood) throws IOException {
        assertThat(goAwayAfter(flood)).isIn(RawHttp2.ENDED, Http2Error.ENHANCE_YOUR_CALM.code());
    }

    private static void repeat(int times, Runnable action) {
        for (int i = 0; i < times; i++) {
            action.run();
        }
    }

    @Test
    void shouldEndAFloodOfSettings() throws IOException {
        assertCalmed(
                client -> repeat(MANY, () -> client.frame(RawHttp2.SETTINGS, 0, 0, new byte[0])));
    }

    @Test
    void shouldEndAFloodOfPings() throws IOException {
        assertCalmed(client -> repeat(MANY, () -> client.frame(RawHttp2.PING, 0, 0, new byte[8])));
    }

    @Test
    void shouldEndAFloodOfResets() throws IOException {
        byte[] headers = RawHttp2.request("/test.EchoService/Echo");
        assertCalmed(
                client -> {
                    for (int id = 1; id < MANY; id += 2) {
                        client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, id, headers);
                        client.frame(RawHttp2.RST_STREAM, 0, id, new byte[] {0, 0, 0, 8});
                    }
                });
    }

    @Test
    void shouldEndAFloodOfContinuations() throws IOException {
        byte[] headers = RawHttp2.request("/test.EchoService/Echo");
        assertCalmed(
                client -> {
                    client.frame(RawHttp2.HEADERS, 0, 1, headers);
                    repeat(MANY, () -> client.frame(RawHttp2.CONTINUATION, 0, 1, new byte[0]));
                });
    }

    @Test
    void shouldEndAFloodOfEmptyData() throws IOException {
        assertCalmed(
                client -> {
                    client.frame(
                            RawHttp2.HEADERS,
                            RawHttp2.END_HEADERS,
                            1,
                            RawHttp2.request("/test.EchoService/Echo"));
                    repeat(100, () -> client.frame(RawHttp2.DATA, 0, 1, new byte[0]));
                });
    }

    @Test
    void shouldEndAConnectionWhoseWindowOverflows() throws IOException {
        byte[] most = ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array();

        assertThat(goAwayAfter(client -> client.frame(RawHttp2.WINDOW_UPDATE, 0, 0, most)))
                .isEqualTo(Http2Error.FLOW_CONTROL_ERROR.code());
    }

    @Test
    void shouldEndAConnectionWithAWindowUpdateOfZero() throws IOException {
        assertThat(goAwayAfter(client -> client.frame(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[4])))
                .isEqualTo(Http2Error.PROTOCOL_ERROR.code());
    }

    @Test
    void shouldRefuseHeadersWithoutLength() throws IOException {
        // a literal that is not indexed, with an empty name and an empty value
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        repeat(5000, () -> block.writeBytes(new byte[] {0, 0, 0}));

        long code =
                goAwayAfter(
                        client -> {
                            client.frame(
                                    RawHttp2.HEADERS,
                                    RawHttp2.END_HEADERS | RawHttp2.END_STREAM,
                                    1,
                                    block.toByteArray());
                            client.end();
                        });

        assertThat(code).isNotEqualTo(Http2Error.NO_ERROR.code());
    }

    @Test
    void shouldEndAConnectionWithTooManyHeaders() throws IOException {
        Http2Headers headers = new DefaultHttp2Headers();
        for (int i = 0; i < 1024; i++) {
            headers.add("name-" + i, "v".repeat(1024));
        }
        byte[] block = RawHttp2.encode(headers);

        long code =
                goAwayAfter(
                        client -> {
                            int step = 16_000;
                            for (int at = 0; at < block.length; at += step) {
                                byte[] part =
                                        Arrays.copyOfRange(
                                                block, at, Math.min(block.length, at + step));
                                int flags = at + step >= block.length ? RawHttp2.END_HEADERS : 0;
                                client.frame(
                                        at == 0 ? RawHttp2.HEADERS : RawHttp2.CONTINUATION,
                                        flags,
                                        1,
                                        part);
                            }
                        });

        assertThat(code).isNotEqualTo(Http2Error.NO_ERROR.code());
    }

    @Test
    void shouldEndAConnectionWithAFrameThatIsTooLong() throws IOException {
        assertThat(goAwayAfter(client -> client.frame(RawHttp2.DATA, 0, 1, new byte[1 << 15])))
                .isIn(RawHttp2.ENDED, Http2Error.FRAME_SIZE_ERROR.code());
    }

    @Test
    void shouldEndAConnectionWithDataForNoStream() throws IOException {
        assertThat(goAwayAfter(client -> client.frame(RawHttp2.DATA, 0, 7, new byte[10])))
                .isEqualTo(Http2Error.PROTOCOL_ERROR.code());
    }

    @Test
    void shouldEndAConnectionWithoutSettings() throws IOException {
        try (RawHttp2 client = new RawHttp2(server.address().getPort())) {
            client.bytes(RawHttp2.PREFACE);
            client.frame(RawHttp2.PING, 0, 0, new byte[8]);

            assertThat(client.awaitGoAway()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        }
    }

    @Test
    void shouldEndAConnectionThatOnlyBeginsLikeHttp2() throws IOException {
        try (RawHttp2 client = new RawHttp2(server.address().getPort())) {
            client.bytes("PRI * HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(client.awaitGoAway()).isEqualTo(RawHttp2.ENDED);
        }
    }

    @Test
    void shouldRefuseMessagesThatLieAboutTheirLength() throws IOException {
        byte[] headers = RawHttp2.request("/test.EchoService/Echo");
        byte[] huge = {0, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1, 2, 3};
        byte[] shorter = {0, 0, 0, 0, 100, 1, 2, 3};
        byte[] flagged = {7, 0, 0, 0, 1, 1};

        long code =
                goAwayAfter(
                        client -> {
                            client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, headers);
                            client.frame(RawHttp2.DATA, 0, 1, huge);
                            client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 3, headers);
                            client.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 3, shorter);
                            client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 5, headers);
                            client.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 5, flagged);
                            // only these calls fail; the connection ends because the client does
                            client.frame(RawHttp2.GO_AWAY, 0, 0, new byte[8]);
                            client.end();
                        });

        assertThat(code).isEqualTo(RawHttp2.ENDED);
    }

    @Test
    void shouldRefuseOnlyTheRequestThatHasNoPath() throws Exception {
        Http2Headers headers = new DefaultHttp2Headers();
        headers.method("POST");
        headers.scheme("http");
        headers.set("content-type", "application/grpc");
        byte[] request = RawHttp2.message(EchoRequest.newBuilder().setMessage("beside").build());
        try (RawHttp2 client = RawHttp2.open(server.address().getPort())) {
            client.frame(
                    RawHttp2.HEADERS,
                    RawHttp2.END_HEADERS,
                    1,
                    RawHttp2.request("/test.EchoService/Echo"));
            client.frame(
                    RawHttp2.HEADERS,
                    RawHttp2.END_HEADERS | RawHttp2.END_STREAM,
                    3,
                    RawHttp2.encode(headers));
            client.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, request);

            Map<Integer, Http2Headers> ends = client.awaitEnds(2);

            assertThat(ends.get(1).getInt("grpc-status")).isEqualTo(GrpcStatus.OK.code());
            assertThat(ends.get(3).getInt("grpc-status"))
                    .isEqualTo(GrpcStatus.UNIMPLEMENTED.code());
        }
    }

    @Test
    void shouldReadAPrefaceByteByByte() throws IOException {
        try (RawHttp2 client = new RawHttp2(server.address().getPort())) {
            for (byte each : RawHttp2.PREFACE) {
                client.bytes(new byte[] {each});
                client.flush();
            }
            client.frame(RawHttp2.SETTINGS, 0, 0, new byte[0]);
            client.frame(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[4]);

            assertThat(client.awaitGoAway()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        }
    }
}
