// SPDX-License-Identifier: Apache-2.0
/**
 * The RDMA halves of connections: queue pairs with their windows, the memory that is posted, and
 * the dispatchers that poll for completions.
 *
 * <p>{@link io.verbena.transport.rdma.RdmaDevice} opens a device and makes {@link
 * io.verbena.transport.rdma.RdmaEndpoint}s; all else is package-private. Knows the values of {@code
 * io.verbena.transport}, and nothing of TCP or of handshakes. Not exported.
 */
package io.verbena.transport.rdma;
