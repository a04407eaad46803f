// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of what the native provider keeps to itself. */
package io.verbena.verbs.ibv;
