// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs with default settings and as much shared memory as a container has by default. */
final class SmallContainerTest {
    @TempDir private Path folder;

    private boolean isMounted;

    @BeforeEach
    void mount() throws Exception {
        isMounted = tryRun("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder.toString());
        assumeTrue(isMounted, "needs root, to mount a file system of 64 MB");
    }

    @AfterEach
    void unmount() throws Exception {
        if (isMounted) {
            assertThat(tryRun("umount", folder.toString())).isTrue();
        }
    }

    private static boolean tryRun(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 && output.isEmpty();
    }

    private RunningProgram start(String... arguments) {
        return RunningProgram.startWith(
                List.of("env", "JAVA_TOOL_OPTIONS=-Dverbena.soft.directory=" + folder.resolve("v")),
                arguments);
    }

    @Test
    void shouldEchoOverRdmaWithDefaults() throws Exception {
        try (RunningProgram server = start("echo", "server", "--port=0", "--use-rdma")) {
            String address = "localhost:" + server.awaitListeningPort();
            try (RunningProgram client =
                    start(
                            "echo",
                            "client",
                            "--timeout-ms=20000",
                            "--use-rdma",
                            address,
                            "--attachment-size=1000000",
                            "--count=20")) {
                assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
                assertThat(client.lines())
                        .filteredOn(line -> line.contains("(attached: 1000000 B) in "))
                        .hasSize(20)
                        .noneMatch(line -> line.contains("TCP"));
            }
        }
    }
}
