// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects the failures of a clean-up whose steps must all run; for one thread. */
final class Failures {
    private final List<IOException> failures = new ArrayList<>();

    /** Runs a step and remembers its failure. */
    void collect(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            failures.add(e);
        }
    }

    /** Remembers a failure. */
    void add(IOException failure) {
        failures.add(failure);
    }

    /** Throws the first failure, if there is one, with the others suppressed. */
    void throwAs(String verb, Path folder) {
        if (failures.isEmpty()) {
            return;
        }
        IOException first = failures.getFirst();
        failures.stream().skip(1).forEach(first::addSuppressed);
        throw new VerbsException(verb, Errno.EIO, folder + ": " + first, first);
    }

    /** A step of a clean-up. */
    interface Step {
        void run() throws IOException;
    }
}
