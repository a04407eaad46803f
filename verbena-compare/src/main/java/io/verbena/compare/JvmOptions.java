// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How the JVMs of contestants are started: all in the same way, except for options that one of them
 * needs.
 */
final class JvmOptions {
    /** The same for all: few threads besides those that do the work, and no heap resizing. */
    static final List<String> SHARED = List.of("-XX:+UseSerialGC", "-Xms1g", "-Xmx1g");

    /**
     * For many connections: room for them, and so few new objects that they make no difference to
     * the resident memory. Verbena's pool reserves 1 MiB for each connection's receives, used or
     * not, and by default has no room for 10,000 of them.
     */
    static final List<String> CROWD =
            List.of(
                    "-XX:+UseSerialGC",
                    "-Xms2g",
                    "-Xmx2g",
                    "-Xmn16m",
                    "-Drdma_memory_pool_increase_size_mb=1024");

    private JvmOptions() {}

    /**
     * {@return the command up to the main class}
     *
     * @param contestant the contestant
     * @param heap options for the heap
     * @param brpcLibraries the folder with brpc-java and what it needs
     */
    static List<String> command(Contestant contestant, List<String> heap, Path brpcLibraries) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(heap);
        command.addAll(
                switch (contestant.system()) {
                    case "verbena" -> List.of("--enable-native-access=ALL-UNNAMED");
                    case "aeron-ipc" ->
                            List.of(
                                    "--sun-misc-unsafe-memory-access=allow",
                                    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
                    case "grpc-java", "netty" ->
                            List.of(
                                    "--enable-native-access=ALL-UNNAMED",
                                    "--sun-misc-unsafe-memory-access=allow");
                    case "brpc-java" ->
                            List.of(
                                    "--enable-native-access=ALL-UNNAMED",
                                    "--sun-misc-unsafe-memory-access=allow",
                                    // its proxies define classes by reflection
                                    "--add-opens=java.base/java.lang=ALL-UNNAMED");
                    default -> throw new IllegalArgumentException("system: " + contestant.system());
                });
        command.add("-cp");
        command.add(
                contestant == Contestant.BRPC_JAVA
                        ? brpcLibraries + File.separator + "*"
                        : System.getProperty("java.class.path"));
        return command;
    }
}
