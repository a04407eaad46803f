// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolStatistics;

/**
 * How much of a memory pool is in use.
 *
 * @param bytes its size
 * @param bytesInUse how many bytes are in use
 */
record PoolUse(long bytes, long bytesInUse) {
    static PoolUse of(BlockPool pool) {
        BlockPoolStatistics now = pool.statistics();
        long all = now.regions().stream().mapToLong(BlockPoolStatistics.Region::bytes).sum();
        long used =
                now.types().stream()
                        .mapToLong(type -> (long) type.used() * type.type().bytes())
                        .sum();
        return new PoolUse(all, used);
    }
}
