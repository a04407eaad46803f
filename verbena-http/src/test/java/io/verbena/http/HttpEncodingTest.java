// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.rpc.Call;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.ContentType;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A service sees how a request that came over HTTP was encoded. */
class HttpEncodingTest {
    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private volatile ContentType contentType;
    private volatile CompressType compressType;

    @AfterEach
    void close() {
        fixture.close();
    }

    private final class Service extends EchoResponder {
        @Override
        public EchoResponse echo(Call call, EchoRequest request) {
            contentType = call.requestContentType();
            compressType = call.requestCompressType();
            return super.echo(call, request);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, identity, JSON, NONE",
        "application/json, gzip, JSON, GZIP",
        "application/proto, identity, PROTOBUF, NONE",
        "application/proto, gzip, PROTOBUF, GZIP"
    })
    void shouldTellTheServiceHowTheRequestIsEncoded(
            String type, String coding, ContentType expectedType, CompressType expectedCompression)
            throws Exception {
        Server server = fixture.server(new Service(), ServerOptions.DEFAULT);
        byte[] body =
                expectedType == ContentType.JSON
                        ? "{\"message\":\"x\"}".getBytes(StandardCharsets.UTF_8)
                        : EchoRequest.newBuilder().setMessage("x").build().toByteArray();

        int status = post(server, type, coding, coding.equals("gzip") ? packed(body) : body);

        assertThat(status).isEqualTo(200);
        assertThat(contentType).isEqualTo(expectedType);
        assertThat(compressType).isEqualTo(expectedCompression);
    }

    private static int post(Server server, String type, String coding, byte[] body)
            throws IOException, InterruptedException {
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            URI uri =
                    URI.create(
                            "http://127.0.0.1:"
                                    + server.address().getPort()
                                    + "/test.EchoService/Echo");
            HttpRequest request =
                    HttpRequest.newBuilder(uri)
                            .timeout(Duration.ofSeconds(20))
                            .header("Content-Type", type)
                            .header("Content-Encoding", coding)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build();
            return client.send(request, BodyHandlers.discarding()).statusCode();
        }
    }

    private static byte[] packed(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }
}
