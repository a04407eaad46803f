// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.CmMessage.Endpoint;
import io.verbena.verbs.soft.cm.CmMessage.Offer;

/**
 * What the two sides agreed on, and how a queue pair is taken through its states accordingly.
 *
 * @param local this side, as it was sent to the peer
 * @param localOffer what this side sent
 * @param remote the peer, as it was received
 * @param remoteOffer what the peer sent
 * @param retry how many times to retry when the peer does not answer: the active side's value, for
 *     both sides
 * @param mtu the path MTU
 */
record ConnectionPath(
        Endpoint local,
        Offer localOffer,
        Endpoint remote,
        Offer remoteOffer,
        int retry,
        PathMtu mtu) {
    /**
     * 67 ms: on this wire a loss means a dead peer, so there is no need for the kernel's two
     * seconds.
     */
    private static final int TIMEOUT = 14;

    /** 0.64 ms. The kernel's CM leaves 0 here, which is 655 ms and stalls every late receive. */
    private static final int MIN_RNR_TIMER = 12;

    /** Moves a new queue pair to INIT, where receives may be posted. */
    static void initialize(QueuePair pair) {
        pair.modify(
                QueuePairAttributes.to(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(ConnectionManager.PORT)
                        .access(AccessFlag.values()));
    }

    /** Moves a queue pair through READY_TO_RECEIVE to READY_TO_SEND. */
    void bringUp(QueuePair pair) {
        pair.modify(
                QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                        .path(remote.gid(), 0, ConnectionManager.GID_INDEX)
                        .pathMtu(mtu)
                        .destination(remote.number())
                        .receivePacketSequenceNumber(local.psn())
                        .maxDestinationReadAtomic(
                                Math.min(
                                        localOffer.responderResources(),
                                        remoteOffer.initiatorDepth()))
                        .minRnrTimer(MIN_RNR_TIMER));
        pair.modify(
                QueuePairAttributes.to(QueuePairState.READY_TO_SEND)
                        .timeout(TIMEOUT)
                        .retryCount(retry)
                        .rnrRetry(remoteOffer.rnrRetry())
                        .sendPacketSequenceNumber(remote.psn())
                        .maxReadAtomic(
                                Math.min(
                                        localOffer.initiatorDepth(),
                                        remoteOffer.responderResources())));
    }

    /** Moves a queue pair to ERROR, which flushes what is posted. */
    static void fail(QueuePair pair) {
        try {
            pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        } catch (VerbsException | IllegalStateException _) {
            // The application has reset or closed it: then nothing is posted.
        } catch (Throwable e) {
            // The event that reports the end of the connection must come all the same.
            CmThreads.log(e);
        }
    }

    /** {@return a peer's offer as the application on this side sees it: the roles are swapped} */
    static ConnectionParameters seenFromHere(Offer offer, PrivateData privateData) {
        return new ConnectionParameters(
                privateData.bytes(),
                offer.initiatorDepth(),
                offer.responderResources(),
                offer.retry(),
                offer.rnrRetry());
    }
}
