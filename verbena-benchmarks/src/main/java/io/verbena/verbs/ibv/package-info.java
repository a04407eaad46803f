// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of package-private classes of the native provider. */
package io.verbena.verbs.ibv;
