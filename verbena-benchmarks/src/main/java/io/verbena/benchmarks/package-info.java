// SPDX-License-Identifier: Apache-2.0

/** JMH benchmarks. */
package io.verbena.benchmarks;
