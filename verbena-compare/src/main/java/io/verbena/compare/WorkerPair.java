// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.tools.ChildProcess;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The two processes of a contestant, for the length of its turn. */
final class WorkerPair implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Contestant contestant;
    private final List<String> java;
    private final Optional<BenchCertificate> certificate;
    private final PrintWriter progress;
    private final ChildProcess server;
    private final ChildProcess client;

    /**
     * Starts both.
     *
     * @param contestant the contestant
     * @param heap options for the heaps of both
     * @param brpcLibraries the folder with brpc-java and what it needs
     * @param progress where their output goes
     * @param role what the client does, see {@link Worker}
     * @param rest the client's further arguments
     * @throws InterruptedException if interrupted before they run
     */
    WorkerPair(
            Contestant contestant,
            List<String> heap,
            Path brpcLibraries,
            PrintWriter progress,
            String role,
            List<String> rest)
            throws InterruptedException {
        this.contestant = contestant;
        this.certificate =
                BenchCertificate.isUsedBy(contestant)
                        ? Optional.of(BenchCertificate.make())
                        : Optional.empty();
        this.java = JvmOptions.command(contestant, heap, brpcLibraries);
        certificate.ifPresent(made -> java.add(made.option()));
        this.progress = progress;
        this.server = start("server", List.of());
        try {
            List<String> arguments = new ArrayList<>();
            arguments.add(server.awaitLine(Worker.LISTENING, START_LIMIT));
            arguments.add(Long.toString(server.pid()));
            arguments.addAll(rest);
            this.client = start(role, arguments);
        } catch (Throwable e) {
            server.close();
            certificate.ifPresent(BenchCertificate::close);
            throw e;
        }
    }

    private ChildProcess start(String role, List<String> arguments) {
        List<String> command = new ArrayList<>(java);
        command.add(Worker.class.getName());
        command.add(role);
        command.add(contestant.name());
        command.addAll(arguments);
        return ChildProcess.start(
                contestant.key() + " " + role, command, this::printUnlessExpected);
    }

    private void printUnlessExpected(String line) {
        if (!line.contains(Worker.LISTENING) && !line.contains(Worker.FIGURES)) {
            progress.println(line);
            progress.flush();
        }
    }

    /** {@return the next figures that the client found} */
    String awaitFigures(Duration limit) throws InterruptedException {
        return client.awaitLine(Worker.FIGURES, limit);
    }

    @Override
    public void close() {
        client.close();
        server.close();
        certificate.ifPresent(BenchCertificate::close);
    }
}
