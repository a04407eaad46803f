// SPDX-License-Identifier: Apache-2.0
/**
 * Connections: ordered bytes over RDMA or TCP, wire-compatible with brpc.
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread writes. What arrives is told to a {@link io.verbena.transport.ConnectionHandler}
 * from one thread at a time: the connection's dispatcher if it runs over RDMA, its event loop if it
 * runs over TCP.
 *
 * <h2>Errors</h2>
 *
 * <p>Everything that goes wrong is a {@link io.verbena.transport.TransportException} with one of
 * brpc's numbers.
 */
package io.verbena.transport;
