// SPDX-License-Identifier: Apache-2.0

/**
 * What the tests of several modules share: waiting for other threads, counting allocation, other
 * processes, and calls under load.
 */
package io.verbena.testing;
