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

    private JvmOptions() {}

    /**
     * {@return the command up to the main class}
     *
     * @param contestant the contestant
     * @param setup says where the libraries are
     */
    static List<String> command(Contestant contestant, Contest.Setup setup) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SHARED);
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
                        ? setup.brpcLibraries() + File.separator + "*"
                        : System.getProperty("java.class.path"));
        return command;
    }
}
