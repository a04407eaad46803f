// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.util.Optional;

/**
 * What two peers have agreed on for one connection.
 *
 * @param isNative whether small messages travel inside a SEND
 * @param credits how many messages or frames may be sent before the peer returns a credit
 * @param frameBytes the longest frame the peer accepts
 * @param readDepth how many reads this side may have in flight
 */
record Agreement(boolean isNative, int credits, int frameBytes, int readDepth) {
    /** How many control messages a peer of the older protocol has room for. */
    static final int SEED_CREDITS = 50;

    /** How many reads in flight both sides of the older protocol offer. */
    static final int SEED_READS = 9;

    static Agreement of(Optional<Greeting> peer, int offeredReads) {
        int reads = Math.min(SEED_READS, offeredReads);
        return peer.map(g -> new Agreement(true, g.credits(), g.frameBytes(), reads))
                .orElseGet(() -> new Agreement(false, SEED_CREDITS, MetaData.BYTES, reads));
    }

    /** {@return the longest message that fits in a frame; -1 if none does} */
    int eagerLimit() {
        return isNative ? Math.min(frameBytes, ReceiveSlots.NATIVE_BYTES) - Outbox.HEADER : -1;
    }
}
