// SPDX-License-Identifier: Apache-2.0
/**
 * How the two sides of a connection agree on RDMA or TCP: with brpc's hellos and ACK on TCP, or the
 * older way with RDMA's connection manager.
 *
 * <p>{@link io.verbena.transport.handshake.Handshakes} makes a {@link
 * io.verbena.transport.handshake.Handshake}, which tells its host what to do. The package uses the
 * endpoints of {@code io.verbena.transport.rdma} and the values of {@code io.verbena.transport},
 * and knows nothing of sockets or stages. Not exported.
 */
package io.verbena.transport.handshake;
