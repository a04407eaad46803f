// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

/**
 * A constant of a C header. Stored in a constant of a layout class, where the layout test finds it.
 *
 * @param name as C spells it
 * @param value its number
 */
record CConstant(String name, int value) {}
