// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

/** What a handshake wants done after it has been given bytes. */
enum HandshakeDecision {
    /** Nothing: more bytes must come. */
    AWAIT,
    /** The peer does not shake hands. Its bytes were left untouched and are the user's. */
    PLAIN_TCP,
    /** The peer offers RDMA: connect a queue pair to its, then accept or refuse. */
    BRING_UP,
    /** The peer does not offer RDMA: refuse. */
    REFUSE,
    /** Both sides agreed on RDMA. */
    RDMA,
    /** One side refused. What follows on TCP is the user's. */
    TCP
}
