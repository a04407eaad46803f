// SPDX-License-Identifier: Apache-2.0

/** The programs of docs/tutorial, one per chapter that has none elsewhere. */
package io.verbena.examples.tutorial;
