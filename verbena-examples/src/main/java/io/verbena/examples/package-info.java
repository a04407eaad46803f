// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs that show how to use the verbs: {@link io.verbena.examples.FirstProgram}, which
 * docs/guide/first-programs.md shows, and the two programs every RDMA tutorial starts with.
 *
 * <ul>
 *   <li>{@link io.verbena.examples.SendReceiveServer} and {@link
 *       io.verbena.examples.SendReceiveClient}: two-sided messages;
 *   <li>{@link io.verbena.examples.WriteReadServer} and {@link
 *       io.verbena.examples.WriteReadClient}: one-sided WRITE and READ, after the two sides told
 *       each other where their memory is.
 * </ul>
 *
 * <p>The latter use two threads, like the C programs they follow: the caller's thread takes
 * connection events, a second one takes completions. Both wait for events and use no CPU while they
 * wait.
 */
package io.verbena.examples;
