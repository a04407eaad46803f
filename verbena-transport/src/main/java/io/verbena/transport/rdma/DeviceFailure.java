// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPoolException;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.VerbsException;

/** Maps failures of the device and of the pool to brpc's error numbers. */
public final class DeviceFailure {
    /** What is left to say when there is no memory for another exception. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it cannot be made on demand
    private static final TransportException NO_MEMORY =
            new TransportException(TransportError.ENOMEM, "there is no memory to say what failed");

    /** Nobody is told, so it can always be the same. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it cannot be made on demand
    private static final TransportException ABANDONED =
            new TransportException(TransportError.ECLOSE, "RDMA was given up");

    private DeviceFailure() {}

    /**
     * Makes sure that failures can be made later: a class that the JVM cannot initialize for want
     * of memory can never be used again, and connections could not end any more.
     */
    public static void prepare() {
        TransportException _ = of("preparing", new OutOfMemoryError());
    }

    /**
     * {@return the failure with its number} Never throws: who ends something must have a reason.
     *
     * @param doing what was tried, for the message
     * @param cause what the device or the pool has thrown
     */
    public static TransportException of(String doing, Throwable cause) {
        TransportError error =
                cause instanceof BlockPoolException
                        ? TransportError.ERDMAMEM
                        : TransportError.ERDMA;
        return of(error, doing, cause);
    }

    /**
     * {@return the failure with another number} Never throws.
     *
     * @param error the number
     * @param doing what was tried, for the message
     * @param cause what was thrown
     */
    static TransportException of(TransportError error, String doing, Throwable cause) {
        if (cause instanceof TransportException already) {
            return already;
        }
        try {
            return new TransportException(error, doing + ": " + text(cause), cause);
        } catch (Throwable e) { // no memory, or a class that could not be loaded without
            return NO_MEMORY;
        }
    }

    /** {@return what to say of something that was given up} Never throws. */
    public static TransportException abandoned() {
        return ABANDONED;
    }

    private static String text(Throwable cause) {
        return cause instanceof VerbsException || cause instanceof BlockPoolException
                ? cause.getMessage()
                : Faults.describe(cause);
    }
}
