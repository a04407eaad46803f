// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.netty.util.internal.PlatformDependent;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;

/**
 * How large a body may be: {@code max_body_size}, or less if the process has too little memory to
 * receive such a body, direct memory over TCP or registered memory over RDMA. A body that is
 * refused costs one call; one that does not fit costs its connection.
 */
final class BodyLimit {
    /** Memory that other connections, and what is sent, need besides. */
    private static final long SPARE_BYTES = 32L << 20;

    /** The part of a small memory that one body may take. */
    private static final int LEAST_PART = 4;

    private static final long BY_DIRECT_MEMORY = ofMemory(PlatformDependent.maxDirectMemory());

    private final long byRegisteredMemory;

    /** The limit of a node that receives into this pool over RDMA. */
    BodyLimit(BlockPool pool) {
        byRegisteredMemory =
                pool.isRegistered() ? ofMemory(pool.options().mostBytes()) : Long.MAX_VALUE;
    }

    /** {@return how many bytes a body may have if there is this much memory} */
    static long ofMemory(long bytes) {
        return Math.max(bytes / LEAST_PART, bytes - SPARE_BYTES);
    }

    /**
     * {@return how many bytes a body may have}
     *
     * @param maxBodySize the value of the flag
     */
    long of(long maxBodySize) {
        return Math.min(maxBodySize, Math.min(BY_DIRECT_MEMORY, byRegisteredMemory));
    }

    /**
     * {@return what to say about a body that is too large}
     *
     * @param bytes how large it is
     * @param limit what {@link #of} returned
     */
    String refusal(long bytes, long limit) {
        return "body: " + bytes + " bytes (expected: at most " + reason(limit) + ")";
    }

    private String reason(long limit) {
        if (limit == BY_DIRECT_MEMORY) {
            return "as the direct memory of this process allows, "
                    + limit
                    + "; raise -XX:MaxDirectMemorySize";
        }
        return limit == byRegisteredMemory
                ? "as the registered memory of this node allows, "
                        + limit
                        + "; raise "
                        + BlockPoolOptions.MAX_REGIONS
                        + " or "
                        + BlockPoolOptions.INCREASE_SIZE_MB
                : "max_body_size, " + limit;
    }
}
