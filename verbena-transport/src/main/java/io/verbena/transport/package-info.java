// SPDX-License-Identifier: Apache-2.0
/**
 * Connections: ordered bytes over RDMA or TCP, wire-compatible with brpc.
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may write. A {@link io.verbena.transport.ConnectionHandler} is called by one thread
 * at a time: the connection's dispatcher if it runs over RDMA, its event loop if it runs over TCP.
 *
 * <h2>Errors</h2>
 *
 * <p>Everything that goes wrong is a {@link io.verbena.transport.TransportException} with one of
 * brpc's numbers.
 *
 * <h2>Inside</h2>
 *
 * <p>Connections are built on {@code handshake}, that on {@code rdma}; neither is exported. The
 * values of this package (exceptions, flags, states, statistics) are known to both and know nobody.
 */
package io.verbena.transport;
