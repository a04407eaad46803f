// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.List;

/** Steps that must all be tried. */
final class Steps {
    private Steps() {}

    /** Runs every step, then throws the first failure with the others suppressed. */
    static void runAll(List<Runnable> steps) {
        Throwable first = null;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                first = join(first, e);
            }
        }
        throwIfAny(first);
    }

    /**
     * Throws a failure.
     *
     * @param failure an unchecked one, or null
     */
    static void throwIfAny(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }

    /**
     * {@return the failure to throw at the end}
     *
     * @param first the first failure so far, or null
     * @param next one that came after it
     */
    static Throwable join(Throwable first, Throwable next) {
        if (first == null) {
            return next;
        }
        // the virtual machine may throw the same OutOfMemoryError twice
        if (!first.equals(next)) {
            first.addSuppressed(next);
        }
        return first;
    }
}
