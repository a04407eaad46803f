// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/** A server in a {@link ChildProcess} that announces the port it listens on. */
public final class ChildServer implements AutoCloseable {
    /** What a server prints in front of its port. */
    public static final String LISTENING = "listening on port ";

    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private final ChildProcess process;

    private ChildServer(ChildProcess process) {
        this.process = process;
    }

    /**
     * {@return the started server}
     *
     * @param name its name, in front of its lines and in messages
     * @param command the program and its arguments
     * @param err receives all it prints, except the line with its port
     */
    public static ChildServer start(String name, List<String> command, PrintWriter err) {
        return new ChildServer(
                ChildProcess.start(
                        name,
                        command,
                        line -> {
                            if (!line.contains(LISTENING)) {
                                err.println(line);
                            }
                        }));
    }

    /**
     * The server's part: announces its port.
     *
     * @param out its standard output
     * @param ports the port, or several separated by spaces
     */
    public static void announce(PrintWriter out, Object ports) {
        out.println(LISTENING + ports);
        out.flush();
    }

    /**
     * Waits until it listens.
     *
     * @return its port
     * @throws InterruptedException if the thread was interrupted
     */
    public int awaitPort() throws InterruptedException {
        return awaitPorts().getFirst();
    }

    /**
     * Waits until it listens.
     *
     * @return its ports
     * @throws InterruptedException if the thread was interrupted
     */
    public List<Integer> awaitPorts() throws InterruptedException {
        String ports = process.awaitLine(LISTENING, START_LIMIT).strip();
        return List.of(ports.split(" ", -1)).stream().map(Integer::valueOf).toList();
    }

    /** Ends the server. */
    @Override
    public void close() {
        process.close();
    }
}
