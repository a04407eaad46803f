// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPoolException;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.VerbsException;

/** Maps failures of the device and of the pool to brpc's error numbers. */
public final class DeviceFailure {
    private DeviceFailure() {}

    /**
     * {@return the failure with its number}
     *
     * @param doing what was tried, for the message
     * @param cause what the device or the pool has thrown
     */
    public static TransportException of(String doing, Throwable cause) {
        if (cause instanceof TransportException already) {
            return already;
        }
        TransportError error =
                cause instanceof BlockPoolException
                        ? TransportError.ERDMAMEM
                        : TransportError.ERDMA;
        return new TransportException(error, doing + ": " + text(cause), cause);
    }

    private static String text(Throwable cause) {
        return cause instanceof VerbsException || cause instanceof BlockPoolException
                ? cause.getMessage()
                : Faults.describe(cause);
    }
}
