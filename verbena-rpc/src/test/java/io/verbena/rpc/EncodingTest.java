// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.transport.SocketMode;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How messages are encoded, compressed and protected, and whether each side can see it. */
class EncodingTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final AtomicReference<String> seen = new AtomicReference<>("");

    @AfterEach
    void close() {
        fixture.close();
    }

    private Channel channel() {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        Probes.service(
                                                (call, question) -> {
                                                    seen.set(
                                                            call.requestCompressType()
                                                                    + " "
                                                                    + call.hasRequestChecksum()
                                                                    + " "
                                                                    + call.requestContentType());
                                                    call.setResponseCompressType(
                                                            call.requestCompressType());
                                                    call.setResponseChecksum(
                                                            call.hasRequestChecksum());
                                                    return Probes.echo(call, question);
                                                }))
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        return fixture.channel(server, RpcFixture.PATIENT);
    }

    @ParameterizedTest
    @EnumSource(CompressType.class)
    void shouldTellBothSidesHowMessagesAreCompressed(CompressType type) {
        Channel channel = channel();

        try (ClientCall call = channel.newCall()) {
            call.setRequestCompressType(type);
            new ProbeServiceClient(channel).ask(Probes.question("x"), call);

            assertThat(seen.get()).isEqualTo(type + " false PROTOBUF");
            assertThat(call.responseCompressType()).isEqualTo(type);
            assertThat(call.hasResponseChecksum()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAcceptChecksumsWithAndWithoutTheAttachment(boolean isWithAttachment) {
        fixture.clientSide
                .node
                .flags()
                .set(RpcFlag.BAIDU_STD_CHECKSUM_WITH_ATTACHMENT, isWithAttachment);
        fixture.serverSide
                .node
                .flags()
                .set(RpcFlag.BAIDU_STD_CHECKSUM_WITH_ATTACHMENT, isWithAttachment);
        Channel channel = channel();

        try (ClientCall call = channel.newCall()) {
            call.setRequestChecksum(true);
            call.requestAttachment().append("attached");
            new ProbeServiceClient(channel).ask(Probes.question("x"), call);

            assertThat(seen.get()).isEqualTo("NONE true PROTOBUF");
            assertThat(call.hasResponseChecksum()).isTrue();
            assertThat(call.responseAttachment().toText()).isEqualTo("attached");
        }
    }

    @ParameterizedTest
    @CsvSource({"NONE, false", "NONE, true", "GZIP, false", "SNAPPY, true", "ZLIB, true"})
    void shouldServeMessagesAsText(CompressType compression, boolean hasChecksum) {
        Channel channel = channel();

        try (ClientCall call = channel.newCall()) {
            call.setContentType(ContentType.PROTO_TEXT);
            call.setRequestCompressType(compression);
            call.setRequestChecksum(hasChecksum);
            call.requestAttachment().append("attached");

            assertThat(
                            new ProbeServiceClient(channel)
                                    .ask(Probes.question("as text"), call)
                                    .getText())
                    .isEqualTo("as text");
            assertThat(seen.get()).isEqualTo(compression + " " + hasChecksum + " PROTO_TEXT");
            assertThat(call.responseAttachment().toText()).isEqualTo("attached");
        }
    }

    @Test
    void shouldSayThatJsonNeedsAnotherModule() {
        Channel channel = channel();

        try (ClientCall call = channel.newCall()) {
            call.setContentType(ContentType.JSON);
            RpcException thrown =
                    catchThrowableOfType(
                            RpcException.class,
                            () -> new ProbeServiceClient(channel).ask(Probes.question("x"), call));

            assertThat(thrown.code()).isEqualTo(RpcError.EREQUEST.code());
            assertThat(thrown.text()).contains("content_type: JSON").contains("verbena-http");
        }
    }
}
