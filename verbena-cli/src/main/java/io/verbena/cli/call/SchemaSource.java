// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where the schema of a call comes from, unless the server provides it; for commands to mix in. */
final class SchemaSource {
    private static final int PROTOC_SECONDS = 60;

    /** At most one of them. */
    static final class Choice {
        @Option(
                names = "--proto",
                paramLabel = "FILE",
                description = "The services, as a .proto file; needs protoc.")
        private Optional<Path> proto = Optional.empty();

        @Option(
                names = "--descriptors",
                paramLabel = "FILE",
                description =
                        "The services, written by protoc --include_imports --descriptor_set_out.")
        private Optional<Path> descriptors = Optional.empty();
    }

    @ArgGroup private Choice choice = new Choice();

    @Option(
            names = {"-I", "--proto-path"},
            paramLabel = "DIRECTORY",
            description = "Where a .proto file's imports are. Default: its own folder.")
    private List<Path> paths = new ArrayList<>();

    /**
     * {@return the schema}
     *
     * @param server provides the schema if no file was given
     */
    Schema read(HttpServer server) throws IOException, InterruptedException {
        if (choice.proto.isPresent()) {
            return Schema.of(compile(choice.proto.get()));
        }
        if (choice.descriptors.isPresent()) {
            return Schema.of(parse(choice.descriptors.get()));
        }
        return Schema.of(server.descriptors());
    }

    private static FileDescriptorSet parse(Path file) throws IOException {
        try {
            return FileDescriptorSet.parseFrom(Files.readAllBytes(file));
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new ToolException(
                    file + ": not a FileDescriptorSet (expected: one written by protoc)", e);
        }
    }

    private FileDescriptorSet compile(Path proto) throws IOException, InterruptedException {
        Path result = Files.createTempFile("verbena-call", ".descriptors");
        Path messages = Files.createTempFile("verbena-call", ".txt");
        try {
            Process protoc = start(proto, result, messages);
            if (!protoc.waitFor(PROTOC_SECONDS, TimeUnit.SECONDS)) {
                protoc.destroyForcibly();
                throw new ToolException("protoc: still running after " + PROTOC_SECONDS + " s");
            }
            if (protoc.exitValue() != 0) {
                throw new ToolException(
                        "protoc failed: " + Files.readString(messages, StandardCharsets.UTF_8));
            }
            return parse(result);
        } finally {
            Files.deleteIfExists(result);
            Files.deleteIfExists(messages);
        }
    }

    private Process start(Path proto, Path result, Path messages) {
        List<String> command = new ArrayList<>(List.of("protoc", "--include_imports"));
        command.add("--descriptor_set_out=" + result);
        Path folder = proto.toAbsolutePath().getParent();
        (paths.isEmpty() ? List.of(folder) : paths).forEach(path -> command.add("-I" + path));
        command.add(proto.toAbsolutePath().toString());
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(messages.toFile())
                    .start();
        } catch (IOException e) {
            throw new ToolException(
                    "protoc cannot be run (install it, or use --descriptors): " + e.getMessage(),
                    e);
        }
    }
}
