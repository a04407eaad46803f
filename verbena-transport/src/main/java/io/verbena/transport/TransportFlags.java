// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;

/**
 * A value for every {@link TransportFlag}. Immutable.
 *
 * {@snippet :
 * TransportFlags flags = TransportFlags.DEFAULT.with(TransportFlag.RDMA_SQ_SIZE, 256);
 * }
 */
public final class TransportFlags {
    /**
     * How many bytes more than {@link TransportFlag#SOCKET_MAX_UNWRITTEN_BYTES} may wait if they
     * are written by {@link Connection#writeBeyondLimit}.
     */
    public static final long BEYOND_LIMIT_BYTES = 1L << 20;

    /** Every flag has its initial value. */
    public static final TransportFlags DEFAULT = new TransportFlags(initialValues());

    private final EnumMap<TransportFlag, Object> values;

    private TransportFlags(EnumMap<TransportFlag, Object> values) {
        this.values = values;
    }

    /**
     * {@return the initial values, changed by the properties that have a flag's name}
     *
     * @param properties such as the system properties; those that name no flag are ignored
     * @throws IllegalArgumentException if a value is not one its flag may have
     */
    public static TransportFlags of(Properties properties) {
        EnumMap<TransportFlag, Object> values = initialValues();
        for (TransportFlag flag : TransportFlag.values()) {
            String text = properties.getProperty(flag.flagName());
            if (text != null) {
                values.put(flag, flag.parse(text));
            }
        }
        return new TransportFlags(values);
    }

    /**
     * {@return the same with another number}
     *
     * @param flag which
     * @param value its value
     */
    public TransportFlags with(TransportFlag flag, long value) {
        return with(flag, (Object) value);
    }

    /**
     * {@return the same with a switch turned on or off}
     *
     * @param flag which
     * @param value its value
     */
    public TransportFlags with(TransportFlag flag, boolean value) {
        return with(flag, (Object) value);
    }

    /**
     * {@return the same with another text}
     *
     * @param flag which
     * @param value its value
     */
    public TransportFlags with(TransportFlag flag, String value) {
        return with(flag, (Object) value);
    }

    /**
     * {@return the value of a flag that is a number}
     *
     * @param flag which
     */
    public long number(TransportFlag flag) {
        return (Long) values.get(flag);
    }

    /**
     * {@return the value of a flag that is a number and fits in an int}
     *
     * @param flag which
     */
    public int integer(TransportFlag flag) {
        return Math.toIntExact(number(flag));
    }

    /**
     * {@return the value of a flag that is a switch}
     *
     * @param flag which
     */
    public boolean isOn(TransportFlag flag) {
        return (Boolean) values.get(flag);
    }

    /**
     * {@return the value of a flag that is a text}
     *
     * @param flag which
     */
    public String text(TransportFlag flag) {
        return (String) values.get(flag);
    }

    /**
     * {@return these, with the values of others for flags that were changed at run time} A flag
     * that was given a value of its own here keeps it.
     *
     * @param before what these were made from
     * @param now the same with the changes
     */
    TransportFlags changedLike(TransportFlags before, TransportFlags now) {
        if (before == now) {
            return this;
        }
        EnumMap<TransportFlag, Object> changed = new EnumMap<>(values);
        changed.replaceAll(
                (flag, value) ->
                        value.equals(before.values.get(flag)) ? now.values.get(flag) : value);
        return new TransportFlags(changed);
    }

    /** {@return all values, by flag: a Long, a Boolean or a String each} */
    public Map<TransportFlag, Object> values() {
        return Map.copyOf(values);
    }

    @Override
    public String toString() {
        return values.toString();
    }

    /**
     * {@return the same with another value}
     *
     * @param flag which
     * @param value a Long, a Boolean or a String, as the flag has it
     */
    public TransportFlags with(TransportFlag flag, Object value) {
        EnumMap<TransportFlag, Object> changed = new EnumMap<>(values);
        changed.put(flag, flag.check(value));
        return new TransportFlags(changed);
    }

    private static EnumMap<TransportFlag, Object> initialValues() {
        EnumMap<TransportFlag, Object> values = new EnumMap<>(TransportFlag.class);
        for (TransportFlag flag : TransportFlag.values()) {
            values.put(flag, flag.initialValue());
        }
        return values;
    }
}
