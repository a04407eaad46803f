// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/**
 * The identity and limits of a device; {@code ibv_device_attr}.
 *
 * @param firmwareVersion the firmware's or the software's version
 * @param nodeGuid the node's globally unique identifier
 * @param systemImageGuid the system's globally unique identifier
 * @param vendorId the vendor
 * @param vendorPartId the model
 * @param hardwareVersion the revision
 * @param ports the number of ports
 * @param completionVectors the number of completion vectors
 * @param maxMemoryRegionBytes the largest memory region
 * @param maxMemoryRegions the most memory regions
 * @param maxQueuePairs the most queue pairs
 * @param maxQueuePairWorkRequests the longest send or receive queue
 * @param maxElements the most scatter/gather elements in a request
 * @param maxCompletionQueues the most completion queues
 * @param maxCompletions the longest completion queue
 * @param maxProtectionDomains the most protection domains
 * @param maxReadAtomic the most reads and atomics a queue pair answers at once ({@code
 *     max_qp_rd_atom})
 * @param maxInitiatorReadAtomic the most reads and atomics a queue pair starts at once ({@code
 *     max_qp_init_rd_atom})
 * @param maxInlineBytes the most bytes in an inline request
 * @param atomics whether atomics are supported
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        int vendorId,
        int vendorPartId,
        int hardwareVersion,
        int ports,
        int completionVectors,
        long maxMemoryRegionBytes,
        int maxMemoryRegions,
        int maxQueuePairs,
        int maxQueuePairWorkRequests,
        int maxElements,
        int maxCompletionQueues,
        int maxCompletions,
        int maxProtectionDomains,
        int maxReadAtomic,
        int maxInitiatorReadAtomic,
        int maxInlineBytes,
        boolean atomics) {}
