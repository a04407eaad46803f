// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.MemorySegment;

/** The set of memory regions and queue pairs that may work together; {@code ibv_pd}. */
public interface ProtectionDomain extends AutoCloseable {
    /** {@return the context it was made from} */
    DeviceContext context();

    /**
     * {@return a memory region over memory the caller owns; {@code ibv_reg_mr}}
     *
     * <p>The memory must stay alive until the region is closed.
     *
     * @param memory native memory (a heap segment is refused)
     * @param access what is allowed; reading by the owner always is
     */
    MemoryRegion register(MemorySegment memory, AccessFlag... access);

    /**
     * {@return a memory region over memory that the device allocates, in the form it can move
     * fastest}
     *
     * <p>The memory starts zeroed, is page-aligned, and is freed when the region is closed.
     *
     * @param length how many bytes, at least 1
     * @param access what is allowed; reading by the owner always is
     */
    MemoryRegion allocate(long length, AccessFlag... access);

    /**
     * {@return a new queue pair in state RESET; {@code ibv_create_qp}}
     *
     * @param options its queues and their sizes
     */
    QueuePair createQueuePair(QueuePairOptions options);

    /** Closes its queue pairs and memory regions, then the domain. */
    @Override
    void close();
}
