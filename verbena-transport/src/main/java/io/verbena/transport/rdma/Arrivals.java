// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPoolException;
import io.verbena.memory.IOBuf;
import io.verbena.memory.internal.OpaqueCounter;
import java.util.Optional;

/**
 * What has arrived at an endpoint, and the receives that must be posted in its place. Any thread
 * may read the counters; everything else belongs to the holder of the poller's turn.
 */
final class Arrivals {
    private final PostedReceives receives;
    private final ReceiveCredits credits;
    private final IOBuf received;
    private final long reserveLimit;
    private final OpaqueCounter messages = new OpaqueCounter();
    private final OpaqueCounter acknowledgements = new OpaqueCounter();
    private final OpaqueCounter bytes = new OpaqueCounter();
    private boolean hasNews;

    Arrivals(EndpointSettings settings, PostedReceives receives, ReceiveCredits credits) {
        this.receives = receives;
        this.credits = credits;
        this.received = settings.pool().buffer();
        // a handler that leaves more than this uncut is not keeping up
        this.reserveLimit = (long) settings.receiveQueueSize() * receives.blockSize();
    }

    /**
     * Takes the message of the oldest receive.
     *
     * @param length its bytes, 0 for a pure acknowledgement
     * @param copies where a small one is copied
     */
    void take(int length, CopyArea copies) {
        receives.take(length, received, copies);
        if (length == 0) {
            acknowledgements.add(1);
        } else {
            messages.add(1);
            bytes.add(length);
            hasNews = true;
        }
    }

    /** {@return whether receives were used and not yet reposted} */
    boolean owes() {
        return receives.owes();
    }

    /**
     * Posts receives in place of those that were used, as many as there are blocks.
     *
     * @throws io.verbena.verbs.VerbsException if the device refuses
     */
    void repost(ReceiveBatch batch) {
        boolean mayUseReserve = received.size() <= reserveLimit;
        credits.repostRelease(receives.repost(batch, mayUseReserve));
    }

    /** {@return how many receives have been posted since the beginning} */
    long posted() {
        return receives.total();
    }

    /** {@return why a receive is still owed; empty if there is a block for it now} */
    Optional<BlockPoolException> shortage() {
        return receives.shortage();
    }

    /** {@return whether bytes have arrived since the last call} */
    boolean takeNews() {
        boolean isNew = hasNews;
        hasNews = false;
        return isNew;
    }

    /** {@return everything that was not yet cut out} */
    IOBuf received() {
        return received;
    }

    /** Gives back the blocks of the receives; the device no longer writes to any of them. */
    void closeReceives() {
        receives.close();
    }

    /** Drops what was not cut out. */
    void closeReceived() {
        received.close();
    }

    long messages() {
        return messages.value();
    }

    long acknowledgements() {
        return acknowledgements.value();
    }

    long bytes() {
        return bytes.value();
    }
}
