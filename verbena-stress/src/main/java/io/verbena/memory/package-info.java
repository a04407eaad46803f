// SPDX-License-Identifier: Apache-2.0

/** JCStress tests of the block pool, in its package as those of the software device are. */
package io.verbena.memory;
