// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.EnumMap;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;

/** The value of every {@link RpcFlag}; can be changed at run time. Any thread. */
public final class RpcFlags {
    private final ReentrantLock changing = new ReentrantLock();

    /** Replaced on each change, never modified. */
    private volatile EnumMap<RpcFlag, Object> values = new EnumMap<>(RpcFlag.class);

    /** Every flag has its initial value. */
    public RpcFlags() {
        for (RpcFlag flag : RpcFlag.values()) {
            values.put(flag, flag.initialValue());
        }
    }

    /**
     * {@return the initial values, overridden by the properties that have a flag's name}
     *
     * @param properties such as those of a {@link FlagSource}; those that name no flag are ignored
     * @throws IllegalArgumentException if a value is not allowed for its flag
     */
    public static RpcFlags of(Properties properties) {
        RpcFlags flags = new RpcFlags();
        for (RpcFlag flag : RpcFlag.values()) {
            String text = properties.getProperty(flag.flagName());
            if (text != null) {
                flags.set(flag, flag.parse(text));
            }
        }
        return flags;
    }

    /**
     * {@return the value of a flag that is a number}
     *
     * @param flag the flag
     */
    public long number(RpcFlag flag) {
        return (Long) value(flag);
    }

    int integer(RpcFlag flag) {
        return Math.toIntExact(number(flag));
    }

    /**
     * {@return the value of a flag that is a switch}
     *
     * @param flag the flag
     */
    public boolean isOn(RpcFlag flag) {
        return (Boolean) value(flag);
    }

    /**
     * {@return the value of a flag: a Long, a Boolean or a String}
     *
     * @param flag the flag
     */
    public Object value(RpcFlag flag) {
        return values.get(flag);
    }

    /**
     * Changes a flag.
     *
     * @param flag the flag
     * @param value the new value, of the flag's type
     * @throws IllegalArgumentException if the value is not allowed for the flag
     */
    public void set(RpcFlag flag, Object value) {
        Object checked = flag.check(value);
        changing.lock();
        try {
            EnumMap<RpcFlag, Object> changed = new EnumMap<>(values);
            changed.put(flag, checked);
            values = changed;
        } finally {
            changing.unlock();
        }
    }
}
