// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that runs this program once more, in the way it was itself started. */
final class JavaCommand {
    /** Flags that would make two JVMs collide on a port or a file. */
    private static final List<String> NOT_INHERITED =
            List.of(
                    "-agentlib",
                    "-agentpath",
                    "-javaagent",
                    "--module-path",
                    "--upgrade-module-path",
                    "--add-modules=ALL-DEFAULT",
                    "-Xlog",
                    "-Xrunjdwp",
                    "-Dcom.sun.management",
                    "-XX:StartFlightRecording",
                    "-XX:FlightRecorderOptions");

    private JavaCommand() {}

    /**
     * {@return the command}
     *
     * @param arguments the arguments of the command line
     */
    static List<String> ofThisProgram(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (NOT_INHERITED.stream().noneMatch(flag::startsWith)) {
                command.add(flag);
            }
        }
        addPaths(command);
        Module module = Main.class.getModule();
        if (module.isNamed()) {
            command.add("-m");
            command.add(module.getName() + "/" + Main.class.getName());
        } else {
            command.add(Main.class.getName());
        }
        command.addAll(arguments);
        return command;
    }

    private static void addPaths(List<String> command) {
        String modulePath = System.getProperty("jdk.module.path", "");
        if (!modulePath.isEmpty()) {
            command.add("-p");
            command.add(modulePath);
        }
        String classPath = System.getProperty("java.class.path", "");
        if (!classPath.isEmpty()) {
            command.add("-cp");
            command.add(classPath);
        }
    }
}
