// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** Rejects option values with a uniform message. */
final class Options {
    private Options() {}

    /**
     * Throws if a value is not as expected.
     *
     * @param isGood whether the value is as expected
     * @param name brpc's name of the option
     * @param value the given value
     * @param expected the values that are allowed
     */
    static void require(boolean isGood, String name, Object value, String expected) {
        if (!isGood) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
