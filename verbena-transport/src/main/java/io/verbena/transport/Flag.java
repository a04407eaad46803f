// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.util.Locale;

/**
 * A setting with a name, an initial value and limits. Each layer has an enumeration of its own;
 * code that reads flags from a command line, a file or a page knows only this interface.
 */
public interface Flag {
    /**
     * The initial value of a flag, and its limits.
     *
     * @param initial the value it has unless another is set: a Long, a Boolean or a String
     * @param least the smallest number it may be; ignored if it is not a number
     * @param most the largest number it may be; ignored if it is not a number
     */
    record Setting(Object initial, long least, long most) {
        /**
         * For a flag that is not a number.
         *
         * @param initial a Boolean or a String
         */
        public Setting(Object initial) {
            this(initial, 0, 0);
        }
    }

    /** {@return the name of the constant; every enumeration has this} */
    String name();

    /** {@return its initial value and limits} */
    Setting setting();

    /** {@return its name, such as {@code rdma_sq_size}} */
    default String flagName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the value it has unless another is set: a Long, a Boolean or a String} */
    default Object initialValue() {
        return setting().initial();
    }

    /**
     * {@return a value of this flag's type}
     *
     * @param text the value as text
     * @throws IllegalArgumentException if it is not such a value, or outside the limits
     */
    default Object parse(String text) {
        try {
            if (initialValue() instanceof Long) {
                return check(Long.parseLong(text));
            }
            return initialValue() instanceof Boolean ? parseBoolean(text) : check(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(expected(text, "a whole number"), e);
        }
    }

    /**
     * {@return the value, if this flag may have it}
     *
     * @param value a Long, a Boolean or a String
     * @throws IllegalArgumentException if it is of another type, or outside the limits
     */
    default Object check(Object value) {
        if (value.getClass() != initialValue().getClass()) {
            throw new IllegalArgumentException(
                    expected(value, "a " + initialValue().getClass().getSimpleName()));
        }
        Setting setting = setting();
        if (value instanceof Long number && (number < setting.least() || number > setting.most())) {
            throw new IllegalArgumentException(
                    expected(value, setting.least() + ".." + setting.most()));
        }
        return value;
    }

    private Object parseBoolean(String text) {
        return switch (text) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw new IllegalArgumentException(expected(text, "true or false"));
        };
    }

    private String expected(Object value, String what) {
        return flagName() + ": " + value + " (expected: " + what + ")";
    }
}
