// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

/** The seeds of tests with random input: a new one in every run, printed to repeat it. */
public final class Seeds {
    /** The system property that repeats a run. */
    private static final String PROPERTY = "verbena.test.seed";

    private Seeds() {}

    /**
     * {@return the seed of this run}
     *
     * @param test what to print along with it
     */
    public static long next(String test) {
        long seed = Long.getLong(PROPERTY, System.nanoTime());
        System.out.println(test + ": -D" + PROPERTY + "=" + seed);
        return seed;
    }
}
