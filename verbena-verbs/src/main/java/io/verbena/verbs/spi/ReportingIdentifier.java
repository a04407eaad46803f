// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.ConnectionIdentifier;

/** A connection identifier as the {@link QueuedEventChannel} it reports to sees it. */
public interface ReportingIdentifier extends ConnectionIdentifier {
    /**
     * Closes unless it has moved to another channel.
     *
     * @param channel the channel that is being closed
     */
    void closeWith(QueuedEventChannel channel);

    /**
     * Gives a request that was taken from a channel to that channel.
     *
     * @param channel where it was taken
     */
    void adopt(QueuedEventChannel channel);

    /** Makes room for another request in the backlog of this listener. */
    void requestTaken();
}
