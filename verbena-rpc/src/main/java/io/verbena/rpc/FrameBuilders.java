// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.internal.Spares;

/** A pool of builders, so that frames of many threads allocate nothing. */
final class FrameBuilders {
    private final Spares<FrameBuilder> builders;

    FrameBuilders(BlockPool pool) {
        builders = new Spares<>(place -> new FrameBuilder(pool.buffer(), pool.buffer(), place));
    }

    /** {@return an empty builder, which the caller owns until it gives it back} Any thread. */
    FrameBuilder take() {
        return builders.take();
    }

    /** Keeps a builder for the next frame. Its remaining content is dropped. */
    void giveBack(FrameBuilder builder) {
        builder.clear();
        builders.giveBack(builder.place());
    }
}
