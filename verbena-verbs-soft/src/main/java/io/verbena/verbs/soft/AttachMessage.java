// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.nio.ByteBuffer;

/**
 * Says where a queue pair's block is and which bells its owner listens to. Sent once to the peer's
 * process, when the queue pair becomes ready to receive.
 *
 * @param from the number of the queue pair the block belongs to
 * @param to the number of the queue pair that should attach
 * @param segment the segment of the block
 * @param base the block's offset inside it
 * @param nonce what the block's consumer state must show
 * @param requestArea the area of the completion queue that handles incoming requests
 * @param requestIndex the bell in it
 * @param acknowledgeArea the area of the completion queue that handles acknowledgements
 * @param acknowledgeIndex the bell in it
 */
record AttachMessage(
        int from,
        int to,
        int segment,
        long base,
        long nonce,
        long requestArea,
        int requestIndex,
        long acknowledgeArea,
        int acknowledgeIndex) {
    static final int BYTES = 5 * Integer.BYTES + 4 * Long.BYTES;

    void write(ByteBuffer buffer) {
        buffer.putInt(from)
                .putInt(to)
                .putInt(segment)
                .putLong(base)
                .putLong(nonce)
                .putLong(requestArea)
                .putInt(requestIndex)
                .putLong(acknowledgeArea)
                .putInt(acknowledgeIndex);
    }

    static AttachMessage read(ByteBuffer buffer) {
        return new AttachMessage(
                buffer.getInt(),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getInt(),
                buffer.getLong(),
                buffer.getInt());
    }

    /** {@return whether every number is in a range where it can be used without further checks} */
    boolean isPlausible(long segmentBytes) {
        return base >= 0
                && base % RingLayout.SLOT == 0
                && base <= segmentBytes - RingLayout.BLOCK_BYTES
                && ControlLayout.isArea(requestArea)
                && ControlLayout.isArea(acknowledgeArea)
                && isIndex(requestIndex)
                && isIndex(acknowledgeIndex);
    }

    private static boolean isIndex(int index) {
        return index >= 0 && index < ControlLayout.MAX_INDEX;
    }
}
