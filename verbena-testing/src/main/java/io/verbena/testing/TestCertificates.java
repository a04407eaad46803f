// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Certificates for tests, made by the commands that docs/tls.md shows, and a few that are bad. */
public final class TestCertificates {
    private static final String NEW_KEY =
            "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ";

    private final Path folder;

    private TestCertificates(Path folder) {
        this.folder = folder;
    }

    /**
     * {@return an authority, a server and a client called alice}
     *
     * @param folder where the files are made
     */
    public static TestCertificates in(Path folder) {
        TestCertificates made = new TestCertificates(folder);
        List<String> commands =
                documentLines().stream().filter(line -> line.startsWith("openssl ")).toList();
        if (commands.size() != 5) {
            throw new AssertionError("docs/tls.md: " + commands.size() + " commands for 5");
        }
        commands.forEach(made::run);
        return made;
    }

    private static List<String> documentLines() {
        try {
            Path root = Path.of("").toAbsolutePath();
            while (!Files.exists(root.resolve("docs/tls.md"))) {
                root = root.getParent();
            }
            return Files.readAllLines(root.resolve("docs/tls.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@return one of the files}
     *
     * @param name such as ca.pem, server.pem, server.key, alice.pem
     */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * Makes a certificate NAME.pem with its key NAME.key.
     *
     * @param name the name of the files, and of the subject
     * @param alternatives its subjectAltName, such as DNS:a.example
     * @param days how long it is valid; -1 means that it has expired
     * @return this
     */
    public TestCertificates issue(String name, String alternatives, int days) {
        run(
                NEW_KEY
                        + "-subj /CN="
                        + name
                        + " -addext subjectAltName="
                        + alternatives
                        + " -keyout "
                        + name
                        + ".key -out "
                        + name
                        + ".csr");
        run(
                "openssl x509 -req -in "
                        + name
                        + ".csr -CA ca.pem -CAkey ca.key -days "
                        + days
                        + " -copy_extensions copy -out "
                        + name
                        + ".pem");
        return this;
    }

    /**
     * Runs a command in the folder.
     *
     * @param command a shell command
     * @return what it printed
     */
    public String run(String command) {
        try {
            Path output = Files.createTempFile(folder, "command", ".txt");
            Process process =
                    new ProcessBuilder("sh", "-c", command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            process.getOutputStream().close();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running: " + command);
            }
            String text = Files.readString(output);
            if (process.exitValue() != 0) {
                throw new AssertionError(command + ": " + text);
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
