// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A count that one thread raises and any thread may look at; it orders nothing else. */
final class OpaqueCounter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(OpaqueCounter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    void add(long count) {
        VALUE.setOpaque(this, value + count);
    }

    long value() {
        return (long) VALUE.getOpaque(this);
    }
}
