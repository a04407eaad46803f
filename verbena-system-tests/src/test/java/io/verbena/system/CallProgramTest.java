// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verbena call} against a server in another process. */
final class CallProgramTest {
    private static RunningProgram server;
    private static String address;

    @TempDir Path folder;

    @BeforeAll
    static void start() throws InterruptedException {
        server = RunningProgram.start("echo", "server", "--port=0", "--use-rdma");
        address = "localhost:" + server.awaitListeningPort();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The exit code of a run of the command, followed by what it printed. */
    private static String run(String... arguments) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("call", "--timeout-ms=20000"));
        all.addAll(List.of(arguments));
        try (RunningProgram call = RunningProgram.start(all.toArray(String[]::new))) {
            return call.awaitExit() + " " + String.join("\n", call.lines()) + "\n";
        }
    }

    private static final String ANSWER = "0 {\n  \"message\": \"hi\"\n}\n";
    private static final String REQUEST = "{\"message\": \"hi\"}";

    @Test
    void shouldPrintTheAnswer() throws InterruptedException {
        assertThat(run(address, "example.EchoService.Echo", REQUEST)).isEqualTo(ANSWER);
        assertThat(run(address, "EchoService.Echo", REQUEST, "--protocol=http")).isEqualTo(ANSWER);
        assertThat(run(address, "EchoService/Echo", REQUEST, "--use-rdma")).isEqualTo(ANSWER);
    }

    @Test
    void shouldTakeTheSchemaFromAFile() throws Exception {
        Path descriptors = folder.resolve("echo.descriptors");
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create("http://" + address + "/protobufs?format=descriptors"))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            Files.write(descriptors, client.send(request, BodyHandlers.ofByteArray()).body());
        }

        assertThat(run(address, "EchoService.Echo", REQUEST, "--descriptors=" + descriptors))
                .isEqualTo(ANSWER);
        Files.writeString(descriptors, "this is none");
        assertThat(run(address, "EchoService.Echo", REQUEST, "--descriptors=" + descriptors))
                .startsWith("1 verbena: ")
                .contains("not a FileDescriptorSet");
    }

    @Test
    void shouldTakeTheSchemaFromAProtoFile() throws Exception {
        Path proto = folder.resolve("echo.proto");
        Files.writeString(
                proto,
                """
                syntax = "proto2";
                package example;
                message EchoRequest { required string message = 1; }
                message EchoResponse { required string message = 1; }
                service EchoService { rpc Echo(EchoRequest) returns (EchoResponse); }
                """);

        String printed = run(address, "EchoService.Echo", REQUEST, "--proto=" + proto);

        assertThat(printed).isEqualTo(ANSWER);
        Files.writeString(proto, "this is none");
        assertThat(run(address, "EchoService.Echo", REQUEST, "--proto=" + proto))
                .startsWith("1 verbena: protoc ");
    }

    @Test
    void shouldSayWhatIsWrong() throws InterruptedException {
        assertThat(run(address, "EchoService.No")).contains("method: No (expected: one of [Echo");
        assertThat(run(address, "NoService.Echo"))
                .contains("service: NoService (expected: one of [example.EchoService");
        assertThat(run(address, "Echo")).contains("method: Echo (expected: Service.Method)");
        assertThat(run(address, "EchoService.Echo", "{"))
                .startsWith("1 verbena: request: ")
                .contains("expected: JSON of example.EchoRequest");
        assertThat(run(address, "EchoService.Echo", "{\"massage\": 1}")).contains("massage");
        assertThat(run("localhost:1", "EchoService.Echo"))
                .isEqualTo("1 verbena: nobody listens at localhost:1\n");
        assertThat(run(address, "EchoService.Echo", "--protocol=http", "--use-rdma"))
                .startsWith("2 --protocol: http (expected: baidu_std, with RDMA)");
        assertThat(run(address, "EchoService.Echo", "--timeout-ms=0")).startsWith("2 ");
        assertThat(run(address, "EchoService.Echo", "--proto=a", "--descriptors=b"))
                .startsWith("2 ");
    }
}
