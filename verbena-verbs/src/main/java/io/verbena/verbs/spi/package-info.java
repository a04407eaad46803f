// SPDX-License-Identifier: Apache-2.0
/** What a verbs provider implements, and the rules all providers share. */
package io.verbena.verbs.spi;
