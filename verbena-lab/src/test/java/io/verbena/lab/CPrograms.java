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

/** Compiles the C programs of {@code src/test/c}, and tells when C servers listen. */
final class CPrograms {
    private static final Path SOURCES = Checkout.folder().resolve("verbena-lab/src/test/c");

    private CPrograms() {}

    /**
     * {@return the program made from {@code NAME.c} and {@code peer.c}}
     *
     * @param name of the program
     * @param folder where to put it
     */
    static String compile(String name, Path folder) throws InterruptedException {
        Path program = folder.resolve(name);
        try (RunningProcess compiler =
                LabProcess.start(
                        "gcc",
                        "-std=c99",
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-o",
                        program.toString(),
                        SOURCES.resolve(name + ".c").toString(),
                        SOURCES.resolve("peer.c").toString(),
                        "-lrdmacm",
                        "-libverbs")) {
            assertThat(compiler.awaitExit()).as("%s", compiler).isZero();
        }
        return program.toString();
    }

    /** Waits until a program takes TCP connections on a port. */
    static void awaitTcpListener(RunningProcess server, int port) throws InterruptedException {
        String listening = String.format(Locale.ROOT, ":%04X [0-9A-F:]+ 0A ", port);
        server.awaitThat(
                "listening on TCP port " + port,
                () ->
                        Pattern.compile(listening)
                                .matcher(read("/proc/net/tcp") + read("/proc/net/tcp6"))
                                .find());
    }

    /** Waits until a program takes connections of librdmacm on a port. */
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
