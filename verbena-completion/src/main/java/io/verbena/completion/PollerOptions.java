// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

/**
 * How a poller's thread waits.
 *
 * @param isPolling whether it never sleeps
 * @param isYielding whether a thread that never sleeps lets others run between two passes that
 *     found nothing
 * @param spinNs how long it, and a thread that waits for a result, polls without finding anything
 *     before it sleeps; 0 sleeps at once
 */
public record PollerOptions(boolean isPolling, boolean isYielding, long spinNs) {}
