// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * Turns an enum with numeric codes into an array indexed by code, so that look-ups never allocate.
 */
final class CodeTable {
    private CodeTable() {}

    static <E> E[] index(E[] values, ToIntFunction<E> code, E unknown, E[] type) {
        int max = Arrays.stream(values).mapToInt(code).max().orElse(0);
        E[] table = Arrays.copyOf(type, max + 1);
        Arrays.fill(table, unknown);
        for (E value : values) {
            if (code.applyAsInt(value) >= 0) {
                table[code.applyAsInt(value)] = value;
            }
        }
        return table;
    }
}
