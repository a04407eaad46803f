// SPDX-License-Identifier: Apache-2.0

/**
 * JCStress tests of the software device, one class per question. They are in the package of what
 * they test, whose classes nobody else can reach; on the class path that is possible.
 */
package io.verbena.verbs.soft;
