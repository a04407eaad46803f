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
 * <p>Every failure is a {@link io.verbena.transport.TransportException} with one of brpc's error
 * numbers.
 *
 * <h2>Inside</h2>
 *
 * <p>Connections are built on {@code handshake}, which is built on {@code rdma}; neither is
 * exported. Both use the values of this package (exceptions, flags, states, statistics), which
 * depend on nothing.
 */
package io.verbena.transport;
