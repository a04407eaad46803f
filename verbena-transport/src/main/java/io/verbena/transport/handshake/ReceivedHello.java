// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.rdma.Hello;

/** A well-formed hello, as far as this side can use it. */
sealed interface ReceivedHello {
    /** {@return the form it had} */
    HelloVersion version();

    /**
     * The peer can do RDMA.
     *
     * @param version the form of the message
     * @param hello what it says
     */
    record Offer(HelloVersion version, Hello hello) implements ReceivedHello {}

    /**
     * The peer cannot do RDMA, or not with this side.
     *
     * @param version the form of the message
     * @param reason which value was not acceptable
     */
    record Refusal(HelloVersion version, String reason) implements ReceivedHello {}
}
