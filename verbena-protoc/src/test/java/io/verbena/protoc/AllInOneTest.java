// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.compiler.PluginProtos.CodeGeneratorRequest;
import com.google.protobuf.compiler.PluginProtos.CodeGeneratorResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The jar that Gradle's protobuf plugin runs: {@code java -jar}, and nothing else on the path. */
class AllInOneTest {
    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(file -> file.toString().endsWith("-all.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void shouldRunByItself() throws Exception {
        CodeGeneratorRequest request = GoldenTest.request("greeting.proto");
        Process plugin =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-jar",
                                jar().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            try (OutputStream in = plugin.getOutputStream()) {
                request.writeTo(in);
            }
            CodeGeneratorResponse response =
                    CodeGeneratorResponse.parseFrom(plugin.getInputStream());

            assertThat(plugin.waitFor(50, TimeUnit.SECONDS)).isTrue();
            assertThat(plugin.exitValue()).isZero();
            assertThat(response).isEqualTo(ProtocPlugin.generate(request));
            assertThat(response.getFileCount()).isPositive();
        } finally {
            plugin.destroyForcibly();
        }
    }
}
