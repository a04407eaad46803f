// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Asks the C compiler about structures and constants of the system's headers. */
final class CHeaders {
    private static final List<String> HEADERS =
            List.of(
                    "errno.h",
                    "fcntl.h",
                    "netinet/in.h",
                    "stddef.h",
                    "stdio.h",
                    "sys/epoll.h",
                    "sys/eventfd.h",
                    "sys/resource.h",
                    "infiniband/verbs.h",
                    "rdma/rdma_cma.h");
    private static final long LIMIT_S = 50;

    private final Path folder;

    /**
     * Works in a folder.
     *
     * @param folder holds the program and its output
     */
    CHeaders(Path folder) {
        this.folder = folder;
    }

    /** {@return what is missing to ask the compiler, or an empty string} */
    String missing() throws IOException, InterruptedException {
        try {
            run(List.of("gcc", "--version"));
        } catch (IOException e) {
            return "gcc is not installed";
        }
        String program = include() + "int main(void) { return 0; }\n";
        return compile(program).isEmpty()
                ? ""
                : "the headers of libibverbs-dev and librdmacm-dev are not installed";
    }

    /**
     * {@return the value of each C expression}
     *
     * @param expressions of integer type
     */
    Map<String, Long> values(List<String> expressions) throws IOException, InterruptedException {
        StringBuilder program = new StringBuilder(include()).append("int main(void) {\n");
        for (String expression : expressions) {
            program.append("printf(\"%lld\\n\", (long long) (").append(expression).append("));\n");
        }
        String errors = compile(program.append("return 0; }\n").toString());
        if (!errors.isEmpty()) {
            throw new AssertionError("the C compiler refuses:\n" + errors);
        }
        List<String> lines = run(List.of(folder.resolve("layout").toString())).lines().toList();
        Map<String, Long> values = new LinkedHashMap<>();
        for (int i = 0; i < expressions.size(); i++) {
            values.put(expressions.get(i), Long.valueOf(lines.get(i)));
        }
        return values;
    }

    private static String include() {
        StringBuilder text = new StringBuilder("#define _GNU_SOURCE\n");
        HEADERS.forEach(header -> text.append("#include <").append(header).append(">\n"));
        return text.toString();
    }

    /** {@return what the compiler complained about} */
    private String compile(String program) throws IOException, InterruptedException {
        Path source = folder.resolve("layout.c");
        Files.writeString(source, program);
        Path target = folder.resolve("layout");
        return run(List.of("gcc", "-w", "-o", target.toString(), source.toString()));
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command + " takes longer than " + LIMIT_S + " s");
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}
