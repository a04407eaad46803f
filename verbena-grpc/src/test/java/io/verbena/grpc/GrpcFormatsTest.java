// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.verbena.rpc.RpcError;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts of headers: statuses, timeouts and metadata. */
class GrpcFormatsTest {
    @ParameterizedTest
    @CsvSource({
        "1H, 3600000",
        "2M, 120000",
        "3S, 3000",
        "45m, 45",
        "1u, 1",
        "1500u, 2",
        "99999999n, 100",
        "0m, 1",
        "99999999H, 2147483647"
    })
    void shouldReadTimeouts(String text, int expectedMs) {
        assertThat(GrpcTimeout.parseMs(text)).isEqualTo(expectedMs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "S", "10", "10s", "-1S", "123456789S", "1 S", "1.5S"})
    void shouldRefuseOtherTimeouts(String text) {
        assertThat(GrpcTimeout.parseMs(text)).isEqualTo(GrpcTimeout.MALFORMED);
    }

    @Test
    void shouldWriteTimeouts() {
        assertThat(GrpcTimeout.format(2000)).isEqualTo("2000m");
        assertThat(GrpcTimeout.format(Integer.MAX_VALUE)).isEqualTo("2147483S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "100 %", "größer", "a\nb\r\n", "%41 is A", "\u0000\u007f"})
    void shouldCarryAnyTextOfAStatus(String text) {
        String encoded = PercentText.encode(text);

        assertThat(encoded).matches("[ -~]*");
        assertThat(PercentText.decode(encoded)).isEqualTo(text);
    }

    @Test
    void shouldLeaveBrokenEscapesAsTheyAre() {
        assertThat(PercentText.decode("%")).isEqualTo("%");
        assertThat(PercentText.decode("%4")).isEqualTo("%4");
        assertThat(PercentText.decode("%zz%41")).isEqualTo("%zzA");
    }

    @ParameterizedTest
    @EnumSource(GrpcStatus.class)
    void shouldHaveTheNumbersOfGrpc(GrpcStatus status) {
        assertThat(status.code()).isEqualTo(Status.Code.valueOf(status.name()).value());
        assertThat(GrpcStatus.of(status.code())).isEqualTo(status);
    }

    @ParameterizedTest
    @EnumSource(RpcError.class)
    void shouldGiveEachErrorAStatusThatIsAFailure(RpcError error) {
        assertThat(GrpcStatus.ofError(error.code())).isNotEqualTo(GrpcStatus.OK);
    }

    @Test
    void shouldMapAsBrpcDoes() {
        assertThat(GrpcStatus.ofError(0)).isEqualTo(GrpcStatus.OK);
        assertThat(GrpcStatus.ofError(RpcError.ENOSERVICE.code()))
                .isEqualTo(GrpcStatus.UNIMPLEMENTED);
        assertThat(GrpcStatus.ofError(RpcError.ERPCAUTH.code()))
                .isEqualTo(GrpcStatus.UNAUTHENTICATED);
        assertThat(GrpcStatus.ofError(RpcError.ELIMIT.code())).isEqualTo(GrpcStatus.UNAVAILABLE);
        assertThat(GrpcStatus.ofError(RpcError.ELOGOFF.code())).isEqualTo(GrpcStatus.UNAVAILABLE);
        assertThat(GrpcStatus.ofError(-5)).isEqualTo(GrpcStatus.UNKNOWN);
    }

    @Test
    void shouldKeepItsOwnHeadersFromTheUser() {
        Http2Headers headers = new DefaultHttp2Headers();
        headers.path("/a/b");
        headers.set("grpc-timeout", "1S");
        headers.set("content-type", "application/grpc");
        headers.set("te", "trailers");
        headers.set("mine", "1");
        headers.add("mine", "2");
        Map<String, String> fields = new HashMap<>();

        Metadata.read(headers, fields);

        assertThat(fields).containsExactly(Map.entry("mine", "1,2"));
    }

    @Test
    void shouldRefuseFieldsThatCannotBeHeaders() {
        assertRefused("white space", "x");
        assertRefused("", "x");
        assertRefused("grpc-status", "0");
        assertRefused("content-type", "x");
        assertRefused("name", "größer");
        assertRefused("name", "two\nlines");
        assertRefused("name-bin", "not base64!");
    }

    private static void assertRefused(String name, String value) {
        Http2Headers headers = new DefaultHttp2Headers();
        assertThatThrownBy(() -> Metadata.write(Map.of(name, value), headers))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("metadata");
    }

    @ParameterizedTest
    @CsvSource({
        "application/grpc, true",
        "application/grpc+proto, true",
        "application/grpc;charset=utf-8, true",
        "application/grpc+json, false",
        "application/grpc-web, false",
        "application/json, false"
    })
    void shouldKnowItsContentType(String type, boolean expected) {
        assertThat(GrpcNames.isGrpc(type)).isEqualTo(expected);
    }
}
