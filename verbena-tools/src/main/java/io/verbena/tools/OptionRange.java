// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks that an option's value is in range. */
public final class OptionRange {
    private OptionRange() {}

    /**
     * Throws if a value is out of range.
     *
     * @param spec the command that has the option
     * @param option its name
     * @param value its value
     * @param least the smallest value allowed
     * @param most the largest value allowed
     */
    public static void check(CommandSpec spec, String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw wrong(spec, option, Long.toString(value), least + ".." + most);
        }
    }

    /**
     * Throws if a value is out of range.
     *
     * @param spec the command that has the option
     * @param option its name
     * @param value its value
     * @param least the smallest value allowed
     * @param most the largest value allowed
     */
    public static void check(
            CommandSpec spec, String option, double value, double least, double most) {
        // written this way so that NaN fails, too
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
