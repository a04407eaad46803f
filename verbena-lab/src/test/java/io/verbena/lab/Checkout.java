// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The checkout in which the tests run: the current folder, or one above it. */
final class Checkout {
    private Checkout() {}

    static Path folder() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(folder.resolve("verbena"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new AssertionError("not inside a checkout: " + Path.of("").toAbsolutePath());
            }
        }
        return folder;
    }

    /** {@return the folder of the jars that make up the program, as the launcher built it last} */
    static Path program() {
        Path launcher = folder().resolve("target/launcher");
        try {
            return launcher.resolve(Files.readString(launcher.resolve("stamp")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("no program was built: run ./verbena --version", e);
        }
    }
}
