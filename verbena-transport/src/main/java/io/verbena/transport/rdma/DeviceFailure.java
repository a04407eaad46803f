// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPoolException;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;

/** Gives failures of the device and of the pool brpc's numbers. */
public final class DeviceFailure {
    private DeviceFailure() {}

    /**
     * {@return the failure under its number}
     *
     * @param doing what was tried, for the message
     * @param cause what the device or the pool says
     */
    public static TransportException of(String doing, RuntimeException cause) {
        if (cause instanceof TransportException already) {
            return already;
        }
        TransportError error =
                cause instanceof BlockPoolException
                        ? TransportError.ERDMAMEM
                        : TransportError.ERDMA;
        return new TransportException(error, doing + ": " + cause.getMessage(), cause);
    }
}
