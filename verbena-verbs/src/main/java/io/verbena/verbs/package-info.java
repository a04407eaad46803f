// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java.
 *
 * <h2>Quick start</h2>
 *
 * {@snippet :
 * try (DeviceContext device = Devices.open();
 *         ProtectionDomain domain = device.allocateProtectionDomain();
 *         CompletionQueue completions = device.createCompletionQueue(16);
 *         MemoryRegion region = domain.allocate(4096, AccessFlag.LOCAL_WRITE)) {
 *     QueuePair pair = domain.createQueuePair(QueuePairOptions.of(completions));
 *     // connect it, post work requests, poll the completion queue
 * }
 * }
 *
 * <h2>Threads</h2>
 *
 * Control operations (create, modify, query, close) may be called from any thread. On one queue
 * pair, {@code postSend} may be called by one thread at a time and {@code postReceive} by one
 * (possibly other) thread at a time. A completion queue may be polled by several threads, each with
 * a {@link io.verbena.verbs.WorkCompletion} of its own.
 *
 * <h2>Resource cleanup</h2>
 *
 * Every object is made by its parent and closed by its owner. Closing a parent closes its children
 * first; closing twice does nothing. Using a closed object throws an {@link
 * java.lang.IllegalStateException} that names it.
 *
 * <h2>Ownership</h2>
 *
 * Memory handed to a queue pair belongs to it until the completion has been polled.
 */
package io.verbena.verbs;
