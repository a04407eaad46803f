// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

/**
 * Depths of the queues of a queue pair.
 *
 * @param send of the send queue
 * @param receive of the receive queue
 */
record QueueSizes(int send, int receive) {}
