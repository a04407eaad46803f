// SPDX-License-Identifier: Apache-2.0

/** brpc for Java, as {@code ./verbena compare} measures it. */
package io.verbena.compare.brpc;
