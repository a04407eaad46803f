// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestCutterTest {
    private static final String HOST = "Host: h\r\n";
    private static final String CHUNKED =
            "POST /c HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";

    private final Wire wire = new Wire();

    @AfterEach
    void close() {
        wire.close();
    }

    private static String get(String target, String headers) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + headers + "\r\n";
    }

    private static String post(String headers, String body) {
        return "POST /p HTTP/1.1\r\n" + HOST + headers + "\r\n" + body;
    }

    @Test
    void shouldReadRequestsBehindEachOther() {
        assertThat(
                        wire.send(
                                get("/a", "")
                                        + post("Content-Length: 3\r\n", "abc")
                                        + CHUNKED
                                        + "3;x=y\r\nabc\r\n002\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
                                        + "\r\n"
                                        + get("/z", "")))
                .containsExactly("GET /a", "POST /p abc", "POST /c abcde", "GET /z");
    }

    @Test
    void shouldReadTheSameWhereverTheBytesAreSplit() {
        String text =
                post("Content-Length: 3\r\n", "abc")
                        + CHUNKED
                        + "a;x\r\n0123456789\r\n0\r\nA: b\r\n\r\n"
                        + get("/z", "");
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);

        for (int split = 1; split < bytes.length; split++) {
            List<String> seen = new ArrayList<>(wire.send(bytes, 0, split));
            seen.addAll(wire.send(bytes, split, bytes.length));
            assertThat(seen)
                    .as("split at %d", split)
                    .containsExactly("POST /p abc", "POST /c 0123456789", "GET /z");
        }
        assertThat(wire.sendByteByByte(text))
                .containsExactly("POST /p abc", "POST /c 0123456789", "GET /z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRPC", "PO ST", "get / HTTP/1.1", "\r\n", "\0", "PRI * HTTP/2.0"})
    void shouldLeaveOtherProtocolsAlone(String text) {
        assertThat(wire.send(text)).containsExactly("not mine");
        assertThat(wire.sendByteByByte(text)).startsWith("not mine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                "Content-Length: 3\r\nContent-Length: 3\r\n",
                "Content-Length: 3\r\nContent-Length: 4\r\n",
                "Content-Length: 3, 3\r\n",
                "Content-Length: +3\r\n",
                "Content-Length: -1\r\n",
                "Content-Length: 0x3\r\n",
                "Content-Length:\r\n",
                "Content-Length : 3\r\n",
                " Content-Length: 3\r\n",
                "A: b\r\n Content-Length: 3\r\n",
                "A: b\n",
                "A: b\rc\r\n",
                "A: b\0c\r\n",
                "A\r\n",
                ": b\r\n",
                "A(: b\r\n",
                "Host: other\r\n"
            })
    void shouldRefuseHeadersThatCanBeReadInTwoWays(String headers) {
        assertThat(wire.send(post(headers, "abc"))).containsExactly("400");
        assertThat(wire.sendByteByByte(post(headers, "abc"))).startsWith("400");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
                "GET / x HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET / HTTP/1.x\r\nHost: h\r\n\r\n",
                "GET / http/1.1\r\nHost: h\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\n\n",
                "GET x HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /#f HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /\u00e9 HTTP/1.1\r\nHost: h\r\n\r\n",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
            })
    void shouldRefuseMalformedRequests(String text) {
        assertThat(wire.send(text)).containsExactly("400");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n",
                "x\r\n",
                "-1\r\n",
                "+1\r\na\r\n",
                " 1\r\na\r\n",
                "1 \r\na\r\n",
                "0x1\r\na\r\n",
                "1\na\r\n",
                "1\r\nab\r\n",
                "1\r\na\n",
                "1\r\na\rb",
                "1\r\na0\r\n\r\n",
                "0\r\nA\r\n\r\n",
                "0\r\n A: b\r\n\r\n",
                "0\r\nA: b\n\r\n"
            })
    void shouldRefuseBrokenChunks(String chunks) {
        assertThat(wire.send(CHUNKED + chunks)).contains("400");
        assertThat(wire.sendByteByByte(CHUNKED + chunks)).contains("400");
    }

    @ParameterizedTest
    @CsvSource({
        "Content-Length: 65537, 413",
        "Content-Length: 99999999999999999999999, 413",
        "Transfer-Encoding: gzip, 501",
        "'Transfer-Encoding: gzip, chunked', 501",
        "Expect: something, 417",
    })
    void shouldSayWhyItRefuses(String header, String status) {
        assertThat(wire.send(post(header + "\r\n", ""))).containsExactly(status);
    }

    @Test
    void shouldRefuseOtherVersions() {
        assertThat(wire.send("GET / HTTP/2.0\r\nHost: h\r\n\r\n")).containsExactly("505");
    }

    @Test
    void shouldRefuseWhatIsLargerThanItsLimits() {
        assertThat(wire.send(get("/" + "x".repeat(200), ""))).containsExactly("414");
        assertThat(wire.send("GET /" + "x".repeat(600))).containsExactly("414");
        assertThat(wire.send(get("/", "A: " + "x".repeat(200) + "\r\n"))).containsExactly("431");
        assertThat(wire.send(get("/", "A: b\r\n".repeat(4)))).containsExactly("GET /");
        assertThat(wire.send(get("/", "A: b\r\n".repeat(5)))).containsExactly("431");
        assertThat(wire.send("GET / HTTP/1.1\r\n" + "A: bcdefgh\r\n".repeat(50))).startsWith("431");
        assertThat(wire.send(CHUNKED + "10001\r\n")).containsExactly("413");
        assertThat(wire.send(CHUNKED + "fffffffffffffffff\r\n")).containsExactly("413");
        assertThat(wire.send(CHUNKED + "1;" + "x".repeat(300))).containsExactly("400");
        assertThat(wire.send(CHUNKED + "0\r\nA: " + "x".repeat(300))).containsExactly("431");
        assertThat(wire.send(CHUNKED + "0\r\n" + ("A: " + "x".repeat(190) + "\r\n").repeat(3)))
                .startsWith("431");
    }

    @Test
    void shouldAddUpTheSizesOfChunks() {
        String chunk = "8000\r\n" + "x".repeat(0x8000) + "\r\n";

        assertThat(wire.send(CHUNKED + chunk + chunk + "0\r\n\r\n"))
                .containsExactly("POST /c " + "x".repeat(0x10000));
        assertThat(wire.send(CHUNKED + chunk + chunk + "1\r\n")).containsExactly("413");
    }

    @Test
    void shouldAskForABodyOnce() {
        String head = post("Content-Length: 3\r\nExpect: 100-continue\r\n", "");

        assertThat(wire.send(head)).containsExactly("100");
        assertThat(wire.send("ab")).isEmpty();
        assertThat(wire.send("c")).containsExactly("POST /p abc");
        assertThat(wire.send(head + "abc")).containsExactly("POST /p abc");
        assertThat(wire.send(head.replace("HTTP/1.1", "HTTP/1.0"))).isEmpty();
    }

    @Test
    void shouldLeaveABodyWhereItIsUntilItIsComplete() {
        wire.send(post("Content-Length: 1000\r\n", "x".repeat(999)));

        assertThat(wire.bytesHeld()).isEqualTo(999);
        assertThat(wire.send("x")).hasSize(1);
        assertThat(wire.bytesHeld()).isZero();
    }

    @Test
    void shouldUnderstandAllFormsOfTargets() {
        assertThat(wire.send(get("http://h:80/a/b?c=d", ""))).containsExactly("GET /a/b");
        assertThat(wire.send(get("HTTP://h", ""))).containsExactly("GET /");
        assertThat(wire.send(get("http://h?x", ""))).containsExactly("GET /");
        assertThat(wire.send(get("/%41%20b", ""))).containsExactly("GET /A b");
        assertThat(wire.send("OPTIONS * HTTP/1.0\r\n\r\n")).containsExactly("OPTIONS *");
    }

    @Test
    void shouldDecodeQueries() throws RefusedRequestException {
        assertThat(HttpTarget.parse("/x?a=1+2&b=%26&c&&a=%C3%A9").query())
                .containsEntry("a", "\u00e9")
                .containsEntry("b", "&")
                .containsEntry("c", "")
                .hasSize(3);
    }
}
