// SPDX-License-Identifier: Apache-2.0

/**
 * JCStress tests of what the threads of a socket hand to each other, one class per question. They
 * run on the class path, in the package they test: its classes are package-private.
 */
package io.verbena.socket;
