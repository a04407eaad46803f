// SPDX-License-Identifier: Apache-2.0
/**
 * The RDMA halves of connections: queue pairs with their windows, the memory that is posted, and
 * the dispatchers that poll for completions.
 *
 * <p>{@link io.verbena.transport.rdma.RdmaDevice} opens a device and makes {@link
 * io.verbena.transport.rdma.RdmaEndpoint}s; everything else is package-private. The package uses
 * the values of {@code io.verbena.transport} and knows nothing of TCP or handshakes. Not exported.
 *
 * <p>Threads: "dispatcher" in the description of a method means whichever thread holds the turn of
 * the dispatcher's poller; see {@link io.verbena.completion.Poller}.
 */
package io.verbena.transport.rdma;
