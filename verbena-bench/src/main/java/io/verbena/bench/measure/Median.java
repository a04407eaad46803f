// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** The median of some values; the mean of the middle two if their number is even. */
public final class Median {
    private Median() {}

    /**
     * {@return the median of a figure}
     *
     * @param <T> what has the figure
     * @param all at least one
     * @param figure what to take from each
     */
    public static <T> double of(List<T> all, ToDoubleFunction<T> figure) {
        double[] sorted = all.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
