// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.Gid;
import io.verbena.verbs.PathMtu;
import java.net.InetSocketAddress;

/** The messages between two connection managers, in the order of a connection's life. */
sealed interface CmMessage {
    /**
     * How to reach a queue pair, and its first sequence number.
     *
     * @param gid the sender's port
     * @param number the sender's queue pair
     * @param psn the sequence number the <em>receiver</em> of this message must start sending with
     */
    record Endpoint(Gid gid, int number, int psn) {}

    /**
     * The sender's offer, from the sender's point of view.
     *
     * @param responderResources the most reads and atomics the sender answers at once
     * @param initiatorDepth the most reads and atomics the sender starts at once
     * @param retry how many times both sides retry when the other does not answer
     * @param rnrRetry how many times the <em>receiver</em> of this message retries when the sender
     *     has no receive posted
     */
    record Offer(int responderResources, int initiatorDepth, int retry, int rnrRetry) {}

    /** REQ: the active side asks to connect. */
    record Request(
            InetSocketAddress destination,
            InetSocketAddress source,
            Endpoint endpoint,
            Offer offer,
            PathMtu mtu,
            PrivateData privateData)
            implements CmMessage {}

    /** REP: the passive side accepts; its queue pair already works. The offer's retry is unused. */
    record Reply(Endpoint endpoint, Offer offer, PrivateData privateData) implements CmMessage {}

    /** RTU: the active side's queue pair works too. */
    record ReadyToUse() implements CmMessage {}

    /** REJ: either side refuses. */
    record Reject(int reason, PrivateData privateData) implements CmMessage {}

    /** DREQ: the sender has ended the connection. */
    record DisconnectRequest() implements CmMessage {}

    /** DREP: the receiver of a DREQ has ended it too. */
    record DisconnectReply() implements CmMessage {}
}
