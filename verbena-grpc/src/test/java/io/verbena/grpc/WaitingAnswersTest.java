// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.netty.handler.codec.http2.Http2Headers;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that asks, and whose windows do not let the server answer. */
class WaitingAnswersTest {
    private static final int MAX_WAITING = 1 << 20;
    private static final int LARGE = 12 << 10;
    private static final int WIDE = 1 << 20;
    private static final int MAX_FRAME = 16 << 10;

    /** The window of a stream to a server whose settings the client has not confirmed. */
    private static final int FIRST_WINDOW = 65_535;

    private final GrpcFixture fixture = GrpcFixture.narrow(SocketMode.TCP, MAX_WAITING);
    private final Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
    private final GrpcPeer other = fixture.peer(server);

    @AfterEach
    void close() {
        assertThat(other.echo("alive").getMessage()).isEqualTo("alive");
        fixture.close();
    }

    private RawHttp2 closedClient() throws Exception {
        RawHttp2 client = new RawHttp2(server.address().getPort());
        client.bytes(RawHttp2.PREFACE);
        client.windows(0);
        return client;
    }

    private static void begin(RawHttp2 client, int stream, String path) {
        client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream, RawHttp2.request(path));
    }

    private static byte[] large() {
        return RawHttp2.message(
                EchoRequest.newBuilder().setData(ByteString.copyFrom(new byte[LARGE])).build());
    }

    private static int status(Http2Headers end) {
        return end.getInt("grpc-status");
    }

    /** As many small requests as one frame carries. */
    private static byte[] questions() {
        byte[] question =
                RawHttp2.message(
                        ServerReflectionRequest.newBuilder()
                                .setFileContainingSymbol("test.EchoService")
                                .build());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() + question.length <= MAX_FRAME) {
            all.writeBytes(question);
        }
        return all.toByteArray();
    }

    @Test
    void shouldKeepFewDescriptionsForAClientThatDoesNotTakeThem() throws Exception {
        byte[] questions = questions();
        int last = 99;
        try (RawHttp2 client = closedClient()) {
            for (int stream = 1; stream <= last; stream += 2) {
                begin(client, stream, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
                client.frame(RawHttp2.DATA, 0, stream, questions);
            }

            // streams on which nothing waits end at once
            Map<Integer, Http2Headers> ends = client.awaitEnds(20);

            assertThat(ends.values())
                    .extracting(WaitingAnswersTest::status)
                    .containsOnly(GrpcStatus.RESOURCE_EXHAUSTED.code());
            assertThat(other.echo("beside").getMessage()).isEqualTo("beside");
        }
    }

    @Test
    void shouldTakeNoMoreQuestionsWhileADescriptionWaits() throws Exception {
        byte[] question =
                RawHttp2.message(
                        ServerReflectionRequest.newBuilder()
                                .setHost("h".repeat(4000))
                                .setListServices("*")
                                .build());
        // a server that has taken half of the window says so
        int questions = FIRST_WINDOW * 3 / 4 / question.length;
        try (RawHttp2 client = closedClient()) {
            begin(client, 1, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
            for (int i = 0; i < questions; i++) {
                client.frame(RawHttp2.DATA, 0, 1, question);
            }
            assertThat(client.countUntilPong(RawHttp2.WINDOW_UPDATE, 1)).isZero();

            client.windows(WIDE);
            for (int i = 0; i < questions / 4; i++) {
                client.frame(RawHttp2.DATA, 0, 1, question);
            }
            client.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, new byte[0]);
            assertThat(status(client.awaitEnds(1).get(1))).isEqualTo(GrpcStatus.OK.code());
        }
    }

    @Test
    void shouldRefuseCallsOfAClientThatDoesNotTakeItsAnswers() throws Exception {
        int calls = 2 * MAX_WAITING / LARGE;
        int refused = MAX_WAITING / LARGE / 2;
        try (RawHttp2 client = closedClient()) {
            for (int i = 0; i < calls; i++) {
                begin(client, 2 * i + 1, "/test.EchoService/Echo");
                client.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 2 * i + 1, large());
            }

            assertThat(client.awaitEnds(refused).values())
                    .allSatisfy(
                            end -> {
                                assertThat(status(end)).isEqualTo(GrpcStatus.UNAVAILABLE.code());
                                assertThat(end.getInt(GrpcNames.ERROR_CODE))
                                        .isEqualTo(RpcError.EOVERCROWDED.code());
                            });

            client.windows(WIDE);
            assertThat(client.awaitEnds(calls - refused).values())
                    .extracting(WaitingAnswersTest::status)
                    .contains(GrpcStatus.OK.code());
        }
    }

    @Test
    void shouldGoOnWithStreamsWhenAnswersAreTaken() throws Exception {
        int streams = 40;
        int requests = 5;
        try (RawHttp2 client = closedClient()) {
            for (int i = 0; i < streams; i++) {
                begin(client, 2 * i + 1, "/test.EchoService/Chat");
            }
            for (int i = 0; i < streams * requests; i++) {
                int flags = i < streams * (requests - 1) ? 0 : RawHttp2.END_STREAM;
                client.frame(RawHttp2.DATA, flags, 2 * (i % streams) + 1, large());
            }
            client.flush();
            client.windows(WIDE);

            assertThat(client.awaitEnds(streams).values())
                    .extracting(WaitingAnswersTest::status)
                    .containsOnly(GrpcStatus.OK.code());
        }
    }
}
