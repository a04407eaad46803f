// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** A lane that takes part in a {@link Plan}, and the results of its runs. One thread. */
public final class Entry {
    private final Lane lane;
    private final int count;
    private final int warmupCount;
    private final List<Measurement> runs = new ArrayList<>();

    /**
     * An entry without runs.
     *
     * @param lane the lane; stays the caller's
     * @param count messages per run
     * @param warmupCount messages in each run of the warm-up; 0 for no warm-up
     */
    public Entry(Lane lane, int count, int warmupCount) {
        this.lane = lane;
        this.count = count;
        this.warmupCount = warmupCount;
    }

    /**
     * In several runs, so that the compiled loop is entered from the start and not only by on-stack
     * replacement.
     */
    void warmUp(int times) {
        for (int i = 0; i < times && warmupCount > 0; i++) {
            lane.run(warmupCount);
        }
    }

    void run() {
        runs.add(lane.run(count));
    }

    /** {@return messages per run} */
    public int count() {
        return count;
    }

    /**
     * {@return the median over the runs}
     *
     * @param figure what to take from each run
     */
    public double median(ToDoubleFunction<Measurement> figure) {
        return Median.of(runs, figure);
    }
}
