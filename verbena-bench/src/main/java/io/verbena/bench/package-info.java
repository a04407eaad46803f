// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./verbena bench}: latency and bandwidth between two processes, with the options and
 * columns of perftest, compared with what the machine itself can do.
 */
package io.verbena.bench;
