// SPDX-License-Identifier: Apache-2.0

/** Measures streams that calls open. */
package io.verbena.bench.streaming;
