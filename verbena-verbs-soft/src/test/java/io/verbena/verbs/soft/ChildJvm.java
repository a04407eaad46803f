// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.VerbsException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Another JVM with the same classes, which talks to the test in lines. */
public final class ChildJvm implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ChildJvm(Process process) {
        this.process = process;
    }

    public static ChildJvm start(Class<?> program, Object... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx64m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-D" + RawMemory.PROPERTY + "=true",
                                "-cp",
                                classPath(program),
                                program.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            ChildJvm child = new ChildJvm(process);
            Thread.ofPlatform().daemon().name("child-output").start(child::readLines);
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the next line the child prints} */
    public String line() throws InterruptedException {
        String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(line).as("line of %s", process.info()).isNotNull();
        return line;
    }

    /** Writes a line to the child's standard input. */
    public void tell(String line) {
        try {
            Writer input = process.outputWriter();
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Lets the child end by itself: its standard input ends. */
    public void finish() throws InterruptedException, IOException {
        process.getOutputStream().close();
        boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(ended).as("end of %s", process.info()).isTrue();
        assertThat(process.exitValue()).as("exit code; output: %s", lines).isZero();
    }

    /** Kills the child where it stands, and waits until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Stops the child where it stands, and waits until none of its threads runs. */
    void halt() throws IOException, InterruptedException {
        signal("-STOP");
        while (!isHalted()) {
            Thread.onSpinWait();
        }
    }

    /** Lets a child go on that was halted. */
    void goOn() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", signal, Long.toString(pid())).start().waitFor();
        assertThat(status).isZero();
    }

    private boolean isHalted() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid()), "task"))) {
            return threads.allMatch(ChildJvm::isStopped);
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the child without waiting for its end. */
    void destroy() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        destroy();
    }

    private void readLines() {
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            // a child that is killed takes its output with it, also while it is read
            lines.add(e.toString());
        }
    }

    /** Found by the classes, since a test may run on the class path or the module path. */
    private static String classPath(Class<?> program) {
        return Stream.of(program, Posix.class, VerbsException.class)
                .map(ChildJvm::root)
                .distinct()
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
