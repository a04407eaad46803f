// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.netty.util.internal.PlatformDependent;

/**
 * How large a body may be: {@code max_body_size}, or less if the process has too little direct
 * memory to receive such a body over TCP. A body that is refused costs one call; one that does not
 * fit costs its connection.
 */
final class BodyLimit {
    /** Direct memory that other connections, and what is sent, need besides. */
    private static final long SPARE_BYTES = 32L << 20;

    /** The part of a small memory that one body may take. */
    private static final int LEAST_PART = 4;

    private static final long BY_MEMORY = ofMemory(PlatformDependent.maxDirectMemory());

    private BodyLimit() {}

    /** {@return how many bytes a body may have if the process has this much direct memory} */
    static long ofMemory(long directBytes) {
        return Math.max(directBytes / LEAST_PART, directBytes - SPARE_BYTES);
    }

    /**
     * {@return how many bytes a body may have}
     *
     * @param maxBodySize the value of the flag
     */
    static long of(long maxBodySize) {
        return Math.min(maxBodySize, BY_MEMORY);
    }

    /**
     * {@return what to say about a body that is too large}
     *
     * @param bytes how large it is
     * @param limit what {@link #of} returned
     */
    static String refusal(long bytes, long limit) {
        String expected =
                limit == BY_MEMORY
                        ? "as the direct memory of this process allows, "
                                + limit
                                + "; raise -XX:MaxDirectMemorySize)"
                        : "max_body_size, " + limit + ")";
        return "body: " + bytes + " bytes (expected: at most " + expected;
    }
}
