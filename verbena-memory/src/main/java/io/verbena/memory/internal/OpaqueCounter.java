// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A counter that one thread raises and any thread may read; it orders nothing else. */
public final class OpaqueCounter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(OpaqueCounter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    /** A counter at zero. */
    public OpaqueCounter() {}

    /**
     * Raises the counter. One thread at a time.
     *
     * @param count by how much
     */
    public void add(long count) {
        VALUE.setOpaque(this, value + count);
    }

    /** {@return its value} */
    public long value() {
        return (long) VALUE.getOpaque(this);
    }
}
