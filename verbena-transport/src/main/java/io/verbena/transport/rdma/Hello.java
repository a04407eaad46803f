// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.verbs.Gid;
import java.util.Optional;

/**
 * What one side tells the other about its queue pair, in any version of the message.
 *
 * @param blockSize the longest message this side can receive
 * @param sendQueueSize the depth of its send queue
 * @param receiveQueueSize the depth of its receive queue
 * @param lid its port's local identifier, 0 on Ethernet
 * @param gid its port's global identifier
 * @param queuePairNumber its queue pair
 * @param ece the enhanced connection establishment options of its queue pair, if there are any
 */
public record Hello(
        int blockSize,
        int sendQueueSize,
        int receiveQueueSize,
        int lid,
        Gid gid,
        int queuePairNumber,
        Optional<Ece> ece) {
    /** {@return the same without ECE} */
    public Hello withoutEce() {
        return ece.isEmpty()
                ? this
                : new Hello(
                        blockSize,
                        sendQueueSize,
                        receiveQueueSize,
                        lid,
                        gid,
                        queuePairNumber,
                        Optional.empty());
    }

    /**
     * Options of a queue pair that devices of one vendor exchange; {@code ibv_ece}.
     *
     * @param vendorId the vendor
     * @param options defined by the vendor
     * @param compMask which fields are valid
     */
    public record Ece(int vendorId, int options, int compMask) {}
}
