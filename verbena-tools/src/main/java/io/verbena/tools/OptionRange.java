// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks that the value of an option lies within its range. */
public final class OptionRange {
    private OptionRange() {}

    /**
     * Throws if it does not.
     *
     * @param spec the command that has the option
     * @param option its name
     * @param value its value
     * @param least the least value it may have
     * @param most the largest
     */
    public static void check(CommandSpec spec, String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw wrong(spec, option, Long.toString(value), least + ".." + most);
        }
    }

    /**
     * Throws if it does not.
     *
     * @param spec the command that has the option
     * @param option its name
     * @param value its value
     * @param least the least value it may have
     * @param most the largest
     */
    public static void check(
            CommandSpec spec, String option, double value, double least, double most) {
        // not the other way round, for a value that is no number
        if (!(value >= least && value <= most)) {
            throw wrong(spec, option, plain(value), plain(least) + ".." + plain(most));
        }
    }

    private static ParameterException wrong(
            CommandSpec spec, String option, String value, String range) {
        return new ParameterException(
                spec.commandLine(), option + ": " + value + " (expected: " + range + ")");
    }

    /** {@return a number without decimals if it has none} */
    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
