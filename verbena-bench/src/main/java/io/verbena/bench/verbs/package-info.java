// SPDX-License-Identifier: Apache-2.0

/** Tests of plain verbs, with the options and columns of perftest. */
package io.verbena.bench.verbs;
