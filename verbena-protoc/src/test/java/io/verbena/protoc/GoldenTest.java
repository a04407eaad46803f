// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.compiler.PluginProtos.CodeGeneratorRequest;
import com.google.protobuf.compiler.PluginProtos.CodeGeneratorResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares what is generated with files in {@code src/test/resources/golden}. With {@code
 * -Dverbena.golden.update=true} the files are written instead.
 */
class GoldenTest {
    private static final Path DESCRIPTORS = Path.of("target", "test-descriptors.binpb");
    private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");

    private static FileDescriptorSet descriptors() throws IOException {
        try (InputStream in = Files.newInputStream(DESCRIPTORS)) {
            return FileDescriptorSet.parseFrom(in, ProtocPlugin.extensions());
        }
    }

    private static CodeGeneratorResponse generate(CodeGeneratorRequest request) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProtocPlugin.run(new ByteArrayInputStream(request.toByteArray()), out);
        return CodeGeneratorResponse.parseFrom(out.toByteArray());
    }

    static CodeGeneratorRequest request(String file) throws IOException {
        return CodeGeneratorRequest.newBuilder()
                .addFileToGenerate(file)
                .addAllProtoFile(descriptors().getFileList())
                .build();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "collisions",
                "edition2023",
                "edition2024",
                "greeting",
                "named_class",
                "nested",
                "no_package",
                "streams",
            })
    void shouldGenerateTheSameSources(String name) throws IOException {
        CodeGeneratorResponse response = generate(request(name + ".proto"));

        assertThat(response.getError()).isEmpty();
        assertThat(response.getFileList()).isNotEmpty();
        for (CodeGeneratorResponse.File file : response.getFileList()) {
            Path golden =
                    GOLDEN.resolve(name)
                            .resolve(Path.of(file.getName()).getFileName().toString() + ".txt");
            if (Boolean.getBoolean("verbena.golden.update")) {
                Files.createDirectories(golden.getParent());
                Files.writeString(golden, file.getContent());
            }
            assertThat(file.getContent()).isEqualTo(Files.readString(golden));
        }
    }

    @Test
    void shouldStayOutOfTheWayOfGenericServices() throws IOException {
        CodeGeneratorRequest.Builder request = request("greeting.proto").toBuilder();
        request.getProtoFileBuilderList().stream()
                .filter(file -> file.getName().equals("greeting.proto"))
                .forEach(file -> file.getOptionsBuilder().setJavaGenericServices(true));

        assertThat(generate(request.build()).getFileList())
                .extracting(CodeGeneratorResponse.File::getName)
                .containsExactly(
                        "io/verbena/protoc/test/greeting/GreetingServiceRpc.java",
                        "io/verbena/protoc/test/greeting/GreetingServiceClient.java");
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() throws IOException {
        CodeGeneratorRequest.Builder request =
                CodeGeneratorRequest.newBuilder().addFileToGenerate("greeting.proto");
        descriptors().getFileList().stream()
                .filter(file -> file.getName().equals("greeting.proto"))
                .map(file -> file.toBuilder().clearMessageType().build())
                .forEach(request::addProtoFile);

        CodeGeneratorResponse response = generate(request.build());

        assertThat(response.getError()).startsWith("verbena-protoc: ").contains("Name");
        assertThat(response.getFileList()).isEmpty();
    }
}
