// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.io.IOException;

/** What foreign code may throw, with or without declaring it. */
enum Thrown {
    UNCHECKED,
    CHECKED,
    OUT_OF_MEMORY,
    STACK_OVERFLOW,
    ASSERTION,
    LINKAGE,
    HOSTILE;

    static final String REASON = "injected";

    /** A throwable that cannot even be printed. */
    private static final class HostileException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    private Throwable make() {
        return switch (this) {
            case UNCHECKED -> new IllegalStateException(REASON);
            case CHECKED -> new IOException(REASON);
            case OUT_OF_MEMORY -> new OutOfMemoryError(REASON);
            case STACK_OVERFLOW -> new StackOverflowError(REASON);
            case ASSERTION -> new AssertionError(REASON);
            case LINKAGE -> new NoClassDefFoundError(REASON);
            case HOSTILE -> new HostileException();
        };
    }

    /** Throws it, even if nobody has declared it. */
    void raise() {
        Thrown.<RuntimeException>raise(make());
    }

    @SuppressWarnings("unchecked") // that is the trick: the cast is to nothing
    private static <T extends Throwable> void raise(Throwable any) throws T {
        throw (T) any;
    }

    /** {@return what the error text must contain} */
    String trace() {
        return this == HOSTILE ? "HostileException" : REASON;
    }
}
