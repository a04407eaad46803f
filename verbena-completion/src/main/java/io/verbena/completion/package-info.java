// SPDX-License-Identifier: Apache-2.0
/**
 * The completion engine that the transport and the sockets share.
 *
 * <p>A {@link io.verbena.completion.Poller} decides which thread polls; its {@link
 * io.verbena.completion.PollerWork} says what polling means. All work is done inside the poller's
 * <em>turn</em>, which one thread at a time holds: the poller's own thread, or a {@link
 * io.verbena.completion.Waiter} that would otherwise sleep until that thread woke it.
 */
package io.verbena.completion;
