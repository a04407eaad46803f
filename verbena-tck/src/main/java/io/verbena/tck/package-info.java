// SPDX-License-Identifier: Apache-2.0

/** The conformance suite that every provider passes. */
package io.verbena.tck;
