// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that devices can reach, and buffers made of it.
 *
 * <h2>Quick start</h2>
 *
 * {@snippet :
 * try (BlockPool pool = BlockPool.of(domain, BlockPoolOptions.DEFAULT);
 *         IOBuf request = pool.buffer();
 *         IOBuf head = pool.buffer()) {
 *     request.append("hello, world");
 *     request.cutInto(head, 5); // "hello", not copied
 * }
 * }
 *
 * <h2>Threads</h2>
 *
 * A {@link io.verbena.memory.BlockPool} and the references of a {@link io.verbena.memory.Block} may
 * be used by any thread. An {@link io.verbena.memory.IOBuf} has one owner at a time; two buffers
 * that share blocks may have two owners.
 *
 * <h2>Resource cleanup</h2>
 *
 * Every reference is released once: a block by {@link io.verbena.memory.Block#release}, whatever a
 * buffer holds by {@link io.verbena.memory.IOBuf#close}. {@link
 * io.verbena.memory.BlockPool#outstanding} lists the blocks that have not come back, and who has
 * them.
 */
package io.verbena.memory;
