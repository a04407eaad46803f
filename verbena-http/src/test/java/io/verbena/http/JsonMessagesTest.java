// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.ContentType;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JsonMessagesTest {
    @ParameterizedTest
    @EnumSource(ContentType.class)
    void shouldCarryMessagesOfBaiduStdInEveryEncoding(ContentType type) {
        try (HttpFixture fixture = new HttpFixture(SocketMode.TCP)) {
            Server server = fixture.server(ServerOptions.DEFAULT);
            Channel channel = fixture.channel(server);
            try (ClientCall call = channel.newCall()) {
                call.setContentType(type);
                call.setRequestCompressType(CompressType.GZIP);
                call.setRequestChecksum(true);

                assertThat(
                                new EchoServiceClient(channel)
                                        .echo(
                                                EchoRequest.newBuilder().setMessage("täxt").build(),
                                                call)
                                        .getMessage())
                        .isEqualTo("täxt");
            }
        }
    }

    @Test
    void shouldNameFieldsAsEachEncodingDoes() throws Exception {
        EchoRequest request = EchoRequest.newBuilder().setMessage("x").setSleepMs(1).build();

        assertThat(new String(new BrpcJsonMessages().write(request), StandardCharsets.UTF_8))
                .isEqualTo("{\"message\":\"x\",\"sleep_ms\":1}");
        assertThat(new String(new ProtoJsonMessages().write(request), StandardCharsets.UTF_8))
                .isEqualTo("{\"message\":\"x\",\"sleepMs\":1}");
        assertThat(
                        new ProtoJsonMessages()
                                .read(
                                        "{\"message\":\"x\",\"sleep_ms\":1}"
                                                .getBytes(StandardCharsets.UTF_8),
                                        EchoRequest.getDefaultInstance()))
                .isEqualTo(request);
    }
}
