// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/**
 * What a peer must know to connect to a queue pair.
 *
 * @param gid the port's global identifier
 * @param lid the port's local identifier; 0 where there is none
 * @param number the queue pair's number
 * @param packetSequenceNumber the first sequence number it will send with
 */
public record QueuePairAddress(Gid gid, int lid, int number, int packetSequenceNumber) {}
