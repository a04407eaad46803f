// SPDX-License-Identifier: Apache-2.0

/**
 * JCStress tests of the states of a call, and of streams. Like those of the software device, they
 * are in the package they test.
 */
package io.verbena.rpc;
