// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.util.Optional;

/**
 * What two peers have agreed on for one connection.
 *
 * @param isNative whether small messages travel inside a SEND
 * @param credits how many messages or frames may be sent before the peer gives one back
 * @param frameBytes the longest frame the peer takes
 * @param readDepth how many reads this side may have under way
 */
record Agreement(boolean isNative, int credits, int frameBytes, int readDepth) {
    /** How many control messages a peer of the older protocol has room for. */
    static final int SEED_CREDITS = 50;

    /** What both sides of the older protocol offer, of reads under way. */
    static final int SEED_READS = 9;

    static Agreement of(Optional<Greeting> peer, int offeredReads) {
        int reads = Math.min(SEED_READS, offeredReads);
        return peer.map(g -> new Agreement(true, g.credits(), g.frameBytes(), reads))
                .orElseGet(() -> new Agreement(false, SEED_CREDITS, MetaData.BYTES, reads));
    }

    /** {@return the longest message that fits into a frame; -1 if none does} */
    int eagerLimit() {
        return isNative ? Math.min(frameBytes, ReceiveSlots.NATIVE_BYTES) - Outbox.HEADER : -1;
    }
}
