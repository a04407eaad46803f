// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import java.util.Optional;

/** The minimum that a hello must offer to be negotiable, in every version. */
final class HelloLimits {
    /** The minimum block size. */
    static final int MIN_BLOCK_SIZE = 1024;

    /** The minimum depth of a queue. */
    static final int MIN_QUEUE_SIZE = 16;

    private HelloLimits() {}

    /** {@return what is wrong with the sizes in a hello; nothing if they are acceptable} */
    static Optional<String> objection(long blockSize, long sendQueueSize, long receiveQueueSize) {
        return below("block_size", blockSize, MIN_BLOCK_SIZE)
                .or(() -> below("sq_size", sendQueueSize, MIN_QUEUE_SIZE))
                .or(() -> below("rq_size", receiveQueueSize, MIN_QUEUE_SIZE));
    }

    private static Optional<String> below(String name, long value, int least) {
        return value >= least
                ? Optional.empty()
                : Optional.of(name + ": " + value + " (expected: at least " + least + ")");
    }
}
