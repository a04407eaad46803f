// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/**
 * One row of a port's table of global identifiers; {@code ibv_gid_entry}.
 *
 * @param index its index in the table
 * @param gid the identifier
 * @param type {@code IB}, {@code RoCE v1}, {@code RoCE v2} or {@code Memory}
 */
public record GidEntry(int index, Gid gid, String type) {}
