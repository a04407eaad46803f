// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.RunningProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The C programs of {@code src/test/c}, which {@code scripts/lab/tests.sh} compiles before the
 * guest starts, and how to tell that C servers listen.
 */
final class CPrograms {
    private static final Path FOLDER = Checkout.folder().resolve("target/lab/c");

    private CPrograms() {}

    /**
     * {@return a program}
     *
     * @param name of its source, without {@code .c}
     */
    static String program(String name) {
        return FOLDER.resolve(name).toString();
    }

    /** Waits until a program accepts TCP connections on a port. */
    static void awaitTcpListener(RunningProcess server, int port) throws InterruptedException {
        String listening = String.format(Locale.ROOT, ":%04X [0-9A-F:]+ 0A ", port);
        server.awaitThat(
                "listening on TCP port " + port,
                () ->
                        Pattern.compile(listening)
                                .matcher(read("/proc/net/tcp") + read("/proc/net/tcp6"))
                                .find());
    }

    /** Waits until a program accepts librdmacm connections on a port. */
    static void awaitRdmaListener(RunningProcess server, int port) throws InterruptedException {
        server.awaitThat("listening on RDMA port " + port, () -> isRdmaListener(port));
    }

    private static boolean isRdmaListener(int port) {
        try (RunningProcess rdma = LabProcess.start("rdma", "resource", "show", "cm_id")) {
            assertThat(rdma.awaitExit()).as("%s", rdma).isZero();
            return rdma.lines().stream()
                    .anyMatch(line -> line.contains("LISTEN") && line.contains(":" + port + " "));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
