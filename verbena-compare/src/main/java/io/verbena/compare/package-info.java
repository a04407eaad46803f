// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./verbena compare}: the same calls by several RPC systems, each with two processes of its
 * own, measured in turn.
 */
package io.verbena.compare;
