// SPDX-License-Identifier: Apache-2.0
/** What a verbs provider implements and the rules every provider shares. */
package io.verbena.verbs.spi;
