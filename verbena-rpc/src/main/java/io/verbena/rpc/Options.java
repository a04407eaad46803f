// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** Refuses values of options, in one way. */
final class Options {
    private Options() {}

    /**
     * Refuses a value.
     *
     * @param isGood whether it is as expected
     * @param name brpc's name of the option
     * @param value what was given
     * @param expected what would be good
     */
    static void require(boolean isGood, String name, Object value, String expected) {
        if (!isGood) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
