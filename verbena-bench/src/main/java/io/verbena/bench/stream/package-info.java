// SPDX-License-Identifier: Apache-2.0

/** {@code bench stream}: byte streams of the transport. */
package io.verbena.bench.stream;
