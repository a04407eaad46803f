// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;

/** The argument checks shared by all connection managers. */
public final class ConnectionArguments {
    /** As many as the device can: {@code RDMA_MAX_RESP_RES}, {@code RDMA_MAX_INIT_DEPTH}. */
    public static final int AS_MANY_AS_POSSIBLE = 255;

    private ConnectionArguments() {}

    /**
     * {@return the bytes}
     *
     * @param bytes what one application sends to the other
     * @param max how many the message can carry
     * @throws IllegalArgumentException if there are more
     */
    public static byte[] privateData(byte[] bytes, int max) {
        if (bytes.length > max) {
            throw new IllegalArgumentException(
                    "privateData.length: " + bytes.length + " (expected: 0.." + max + ")");
        }
        return bytes;
    }

    /**
     * {@return the backlog}
     *
     * @param backlog how many requests may wait
     * @throws IllegalArgumentException if it is below one
     */
    public static int backlog(int backlog) {
        if (backlog < 1) {
            throw new IllegalArgumentException("backlog: " + backlog + " (expected: >= 1)");
        }
        return backlog;
    }

    /**
     * {@return the parameters, with {@link #AS_MANY_AS_POSSIBLE} replaced by the device's limit}
     *
     * @param verb the calling verb
     * @param wanted what the application asks for
     * @param device the device's limits
     * @throws VerbsException with EINVAL if more is asked for than the device supports
     */
    public static ConnectionParameters limited(
            String verb, ConnectionParameters wanted, DeviceAttributes device) {
        return wanted.withReadAtomic(
                readAtomic(
                        verb,
                        "responderResources",
                        wanted.responderResources(),
                        device.maxReadAtomic()),
                readAtomic(
                        verb,
                        "initiatorDepth",
                        wanted.initiatorDepth(),
                        device.maxInitiatorReadAtomic()));
    }

    private static int readAtomic(String verb, String name, int value, int max) {
        int wanted = value == AS_MANY_AS_POSSIBLE ? Math.min(value, max) : value;
        if (wanted > max) {
            throw new VerbsException(
                    verb, Errno.EINVAL, name + ": " + value + " (expected: 0.." + max + " or 255)");
        }
        return wanted;
    }
}
