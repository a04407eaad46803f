// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Another JVM with the classes of this one, which exchanges lines with the test. */
public final class ChildJvm implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RunningProcess process;

    private ChildJvm(RunningProcess process) {
        this.process = process;
    }

    /**
     * {@return the started child}
     *
     * @param program has the main method
     * @param arguments its arguments, as text
     */
    public static ChildJvm start(Class<?> program, Object... arguments) {
        return start(List.of(), program, arguments);
    }

    /**
     * {@return the started child}
     *
     * @param options further options of its JVM; they override the usual ones
     * @param program has the main method
     * @param arguments its arguments, as text
     */
    public static ChildJvm start(List<String> options, Class<?> program, Object... arguments) {
        return start(PATIENCE, options, program, arguments);
    }

    /**
     * {@return the started child}
     *
     * @param patience how long to wait for a line, and for its end
     * @param options further options of its JVM; they override the usual ones
     * @param program has the main method
     * @param arguments its arguments, as text
     */
    public static ChildJvm start(
            Duration patience, List<String> options, Class<?> program, Object... arguments) {
        return startWith(List.of(), patience, options, program, arguments);
    }

    /**
     * {@return the child, started by another program such as {@code ip netns exec NAME}}
     *
     * @param prefix that program and its arguments
     * @param patience how long to wait for a line, and for its end
     * @param options further options of its JVM; they override the usual ones
     * @param program has the main method
     * @param arguments its arguments, as text
     */
    public static ChildJvm startWith(
            List<String> prefix,
            Duration patience,
            List<String> options,
            Class<?> program,
            Object... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-Dslf4j.internal.verbosity=ERROR",
                        "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        ownProperties().forEach(command::add);
        command.addAll(List.of("-cp", classPath(program), program.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ChildJvm(RunningProcess.start(patience, command));
    }

    /** Modes that this JVM was started in, such as checked memory, apply to its children too. */
    private static Stream<String> ownProperties() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("verbena."))
                .map(name -> "-D" + name + "=" + System.getProperty(name));
    }

    /**
     * {@return the next line the child prints}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public String line() throws InterruptedException {
        return process.nextLine();
    }

    /**
     * Writes a line to the child's standard input.
     *
     * @param line without its end
     */
    public void tell(String line) {
        process.tell(line);
    }

    /** {@return its process id} */
    public long pid() {
        return process.pid();
    }

    /**
     * Lets the child exit on its own: closes its standard input.
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public void finish() throws InterruptedException {
        process.endInput();
        assertThat(process.awaitExit()).as("%s", process).isZero();
    }

    /**
     * Kills the child immediately, and waits until it is gone.
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public void kill() throws InterruptedException {
        process.kill();
        process.awaitExit();
    }

    /**
     * Stops the child immediately, and waits until none of its threads runs.
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public void halt() throws InterruptedException {
        Signals.stop(pid());
    }

    /**
     * Resumes a child that was halted.
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public void goOn() throws InterruptedException {
        Signals.resume(pid());
    }

    /** Kills the child without waiting for its end. */
    public void destroy() {
        process.kill();
    }

    @Override
    public void close() {
        destroy();
        process.close();
    }

    /** A test runs on the class path, or on the module path with its classes as a patch. */
    private static String classPath(Class<?> program) {
        return Stream.of(
                        root(program),
                        System.getProperty("jdk.module.path", ""),
                        System.getProperty("java.class.path", ""))
                .filter(path -> !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String root(Class<?> type) {
        String name = "/" + type.getName().replace('.', '/') + ".class";
        URL url = type.getResource(name);
        assertThat(url).as("resource of %s", type).isNotNull();
        String address = url.toString();
        String root = address.substring(0, address.length() - name.length());
        if (root.startsWith("jar:")) {
            root = root.substring("jar:".length(), root.length() - "!".length());
        }
        try {
            return Path.of(new URI(root)).toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(root, e);
        }
    }
}
