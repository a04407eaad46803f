// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.tools.ChildProcess;
import io.verbena.tools.ChildServer;
import io.verbena.tools.JavaProgram;
import java.time.Duration;
import java.util.List;

/** A server of the cluster demo, in a process of its own. For one thread, and its starter. */
final class ClusterMember implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    /** What became of it. */
    enum State {
        SERVING,
        KILLED,
        DRAINED
    }

    private final int number;
    private final ChildProcess process;
    private volatile int port;
    private volatile boolean isClosed;
    private State state = State.SERVING;

    private ClusterMember(int number, ChildProcess process) {
        this.number = number;
        this.process = process;
    }

    /** {@return a server that is starting} */
    static ClusterMember start(JavaProgram program, int number, String registry) {
        return new ClusterMember(
                number,
                ChildProcess.start(
                        "server " + number,
                        program.command(List.of("cluster-server", "--registry=" + registry)),
                        ClusterMember::printUnlessExpected));
    }

    /** The announcement is for this program; anything else the server prints is for the user. */
    private static void printUnlessExpected(String line) {
        if (!line.contains(ChildServer.LISTENING)) {
            System.err.println(line);
        }
    }

    void awaitListening() throws InterruptedException {
        port = Integer.parseInt(process.awaitLine(ChildServer.LISTENING, START_LIMIT).strip());
    }

    /** Learns its port on a thread of its own: a busy machine takes seconds to start a server. */
    void listenSoon() {
        Thread.ofVirtual()
                .name("starting-" + number)
                .start(
                        () -> {
                            try {
                                awaitListening();
                            } catch (InterruptedException | RuntimeException e) {
                                if (!isClosed) {
                                    System.err.println(e.getMessage());
                                }
                            }
                        });
    }

    boolean isListening() {
        return port != 0;
    }

    int number() {
        return number;
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    State state() {
        return state;
    }

    boolean isServing() {
        return state == State.SERVING;
    }

    /** Kills it: the registry still lists it. */
    void kill() {
        state = State.KILLED;
        process.kill();
    }

    /** Asks it to end: it leaves the registry first. */
    void drain() {
        state = State.DRAINED;
        ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroy);
    }

    @Override
    public void close() {
        isClosed = true;
        process.close();
    }
}
