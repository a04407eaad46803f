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
        documented("## A test authority in five commands", 5).forEach(made::run);
        return made;
    }

    /**
     * Revokes certificates, and writes the authority's list of all that are to crl.pem.
     *
     * @param names the names of their files, without .pem; none writes an empty list
     */
    public void revoke(String... names) {
        List<String> commands = documented("## Revoked certificates", 3);
        run(commands.getFirst());
        for (String name : names) {
            run(commands.get(1).replace("alice", name));
        }
        run(commands.getLast());
    }

    /** {@return the commands of a section of docs/tls.md} */
    private static List<String> documented(String section, int count) {
        List<String> commands =
                documentLines().stream()
                        .dropWhile(line -> !line.equals(section))
                        .skip(1)
                        .takeWhile(line -> !line.startsWith("## "))
                        .filter(line -> line.matches("(openssl|printf) .*"))
                        .toList();
        if (commands.size() != count) {
            throw new AssertionError(
                    "docs/tls.md, " + section + ": " + commands.size() + " commands for " + count);
        }
        return commands;
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
