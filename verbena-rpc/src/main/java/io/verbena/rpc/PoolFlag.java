// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPoolSetting;
import io.verbena.transport.Flag;

/**
 * A setting of the memory pool, which is fixed when the pool is created.
 *
 * @param of the pool's setting
 */
record PoolFlag(BlockPoolSetting of) implements Flag {
    @Override
    public String name() {
        return of.name();
    }

    @Override
    public Setting setting() {
        return new Setting(of.initial(), of.least(), of.most());
    }
}
