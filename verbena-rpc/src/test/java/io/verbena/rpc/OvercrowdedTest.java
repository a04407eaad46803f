// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that sends requests and does not read what it gets for them. */
class OvercrowdedTest {
    private static final int CALLS = 120;
    private static final int ATTACHMENT = 256 << 10;

    private final RpcFixture fixture =
            new RpcFixture(
                    SocketMode.TCP,
                    RpcFixture.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 1));

    @AfterEach
    void close() {
        fixture.close();
    }

    /** More than all buffers between the two can hold, so that answers have to wait. */
    @ParameterizedTest
    @ValueSource(strings = {"Echo", "EchoInline"})
    void shouldAnswerEveryCallWhenThereIsNoRoomForAnswers(String method) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        Set<Integer> codes = new TreeSet<>();
        Set<Long> answered = new HashSet<>();
        try (RawClient client = new RawClient(server.address().getPort())) {
            for (int i = 0; i < CALLS; i++) {
                client.send(
                        RawClient.meta("test.EchoService", method, i).setAttachmentSize(ATTACHMENT),
                        EchoCalls.request("x")
                                .toByteString()
                                .concat(ByteString.copyFrom(new byte[ATTACHMENT])));
            }
            for (int i = 0; i < CALLS; i++) {
                RawClient.Answer answer = client.receive();
                codes.add(answer.code());
                answered.add(answer.meta().getCorrelationId());
            }
        }

        assertThat(codes).containsExactly(0, RpcError.EOVERCROWDED.code());
        assertThat(answered).hasSize(CALLS);
    }

    /** Errors are short, but not without limit. */
    @Test
    void shouldCutAClientThatNeverReads() throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        byte[] call =
                RawClient.frame(
                        RawClient.meta("test.EchoService", "EchoInline", 1)
                                .setAttachmentSize(ATTACHMENT)
                                .build(),
                        EchoCalls.request("x")
                                .toByteString()
                                .concat(ByteString.copyFrom(new byte[ATTACHMENT])));
        byte[] unknown =
                RawClient.frame(
                        RawClient.meta("test.EchoService", "Nothing", 1).build(), ByteString.EMPTY);
        try (RawClient client = new RawClient(server.address().getPort())) {
            for (int i = 0; i < CALLS; i++) {
                client.send(call);
            }
            try {
                for (int i = 0; i < 200_000; i++) {
                    client.send(unknown);
                }
            } catch (java.net.SocketException e) {
                RpcFixture.eventually(
                        () -> server.connections().isEmpty(), () -> "it is still connected");
                return;
            }
        }
        throw new AssertionError("the server took everything");
    }
}
