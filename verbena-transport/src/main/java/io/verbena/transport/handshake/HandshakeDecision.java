// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

/** What to do after a handshake was given bytes. */
enum HandshakeDecision {
    /** Nothing: wait for more bytes. */
    AWAIT,
    /** The peer does no handshake. Its bytes were left untouched and belong to the user. */
    PLAIN_TCP,
    /** The peer offers RDMA: connect a queue pair to its queue pair, then accept or refuse. */
    BRING_UP,
    /** The peer does not offer RDMA: refuse. */
    REFUSE,
    /** Both sides agreed on RDMA. */
    RDMA,
    /** One side refused. What follows on TCP belongs to the user. */
    TCP
}
