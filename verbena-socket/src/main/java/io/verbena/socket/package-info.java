// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets that move messages by RDMA: small ones inside a SEND, large ones by RDMA READ, with the
 * wire protocol of the C program {@code rdma_socket} where the peer speaks nothing else; and a
 * message queue with one receiver and many senders.
 *
 * <p>Start with {@link io.verbena.socket.SocketStack}.
 */
package io.verbena.socket;
