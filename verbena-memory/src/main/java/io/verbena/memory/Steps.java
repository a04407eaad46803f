// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.List;

/** Steps that must all be tried. */
final class Steps {
    private Steps() {}

    /** Runs every step, then throws the first failure with the others suppressed. */
    static void runAll(List<Runnable> steps) {
        RuntimeException first = null;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException e) {
                first = join(first, e);
            }
        }
        throwIfAny(first);
    }

    /**
     * Throws a failure.
     *
     * @param failure what to throw, or null
     */
    static void throwIfAny(RuntimeException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * {@return the failure to throw at the end}
     *
     * @param first the first failure so far, or null
     * @param next one that came after it
     */
    static RuntimeException join(RuntimeException first, RuntimeException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }
}
