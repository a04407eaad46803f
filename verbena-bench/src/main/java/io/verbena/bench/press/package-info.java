// SPDX-License-Identifier: Apache-2.0

/** {@code verbena press}: calls at a constant rate, whatever the server does. */
package io.verbena.bench.press;
