// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A program that can be run again in a JVM of its own, with the same Java, class or module path,
 * and flags as this JVM.
 *
 * @param main its main class
 */
public record JavaProgram(Class<?> main) {
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

    /**
     * {@return the program that a command belongs to: the class of the topmost command is its main
     * class}
     *
     * @param spec the command
     */
    public static JavaProgram of(CommandSpec spec) {
        return new JavaProgram(spec.root().userObject().getClass());
    }

    /**
     * {@return the command that runs it}
     *
     * @param arguments the arguments of its main method
     */
    public List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (NOT_INHERITED.stream().noneMatch(flag::startsWith)) {
                command.add(flag);
            }
        }
        addPaths(command);
        Module module = main.getModule();
        if (module.isNamed()) {
            command.add("-m");
            command.add(module.getName() + "/" + main.getName());
        } else {
            command.add(main.getName());
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
