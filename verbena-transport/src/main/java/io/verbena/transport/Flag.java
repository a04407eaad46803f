// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/**
 * A setting with a name, an initial value and limits. Each layer has an enumeration of its own;
 * what reads flags from a command line, a file or a page knows only this.
 */
public interface Flag {
    /** {@return its name, such as {@code rdma_sq_size}} */
    String flagName();

    /** {@return the value it has unless another is set: a Long, a Boolean or a String} */
    Object initialValue();

    /** {@return the smallest number it may be; means nothing if it is none} */
    long least();

    /** {@return the largest number it may be; means nothing if it is none} */
    long most();

    /**
     * {@return a value of this flag's type}
     *
     * @param text as one writes it
     * @throws IllegalArgumentException if it is none, or outside the limits
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
        if (value instanceof Long number && (number < least() || number > most())) {
            throw new IllegalArgumentException(expected(value, least() + ".." + most()));
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
