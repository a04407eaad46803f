// SPDX-License-Identifier: Apache-2.0

/**
 * JCStress tests of what connections over RDMA share, one class per question. They run on the class
 * path, in the package they test: its classes are package-private.
 */
package io.verbena.transport.rdma;
