// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What foreign code may throw, with or without declaring it. */
public enum Thrown {
    /** A RuntimeException. */
    UNCHECKED,
    /** A checked exception that nobody has declared. */
    CHECKED,
    /** An OutOfMemoryError. */
    OUT_OF_MEMORY,
    /** A StackOverflowError. */
    STACK_OVERFLOW,
    /** An AssertionError. */
    ASSERTION,
    /** A LinkageError. */
    LINKAGE,
    /** One whose own message throws. */
    HOSTILE;

    private static final String REASON = "injected";

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
    public void raise() {
        Thrown.<RuntimeException>raise(make());
    }

    @SuppressWarnings("unchecked") // that is the trick: the cast is to nothing
    private static <T extends Throwable> void raise(Throwable any) throws T {
        throw (T) any;
    }

    /**
     * {@return an object that does what another one does, except that some of its methods throw
     * this; what they do not declare arrives in an UndeclaredThrowableException}
     *
     * @param <T> its type
     * @param type an interface
     * @param real the other object
     * @param isDue whether such a method throws now
     * @param methods their names
     */
    public <T> T in(Class<T> type, T real, BooleanSupplier isDue, String... methods) {
        List<String> faulty = List.of(methods);
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            if (faulty.contains(method.getName()) && isDue.getAsBoolean()) {
                                raise();
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    /** {@return what the error text must contain} */
    public String trace() {
        return this == HOSTILE ? "HostileException" : REASON;
    }
}
