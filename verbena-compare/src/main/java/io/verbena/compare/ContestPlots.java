// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The plots of a contest: latencies and rates, with callbacks and with blocking callers. */
final class ContestPlots {
    private final Contest.Setup setup;
    private final Map<Contestant, Map<Cell, Figures>> medians;

    ContestPlots(Contest.Setup setup, Map<Contestant, Map<Cell, Figures>> medians) {
        this.setup = setup;
        this.medians = medians;
    }

    /** {@return the plots by file name, except those that would be empty} */
    Map<String, String> byFile() {
        Map<String, String> plots = new LinkedHashMap<>();
        addLatency(plots, "compare-latency.svg", "Callbacks, one call at a time", false);
        addRate(plots, "compare-rate.svg", "Callbacks, many calls at a time", false);
        addLatency(plots, "compare-blocking-latency.svg", "Blocking stub, one thread", true);
        addRate(plots, "compare-blocking-rate.svg", "Blocking stubs, virtual threads", true);
        return plots;
    }

    private void addLatency(
            Map<String, String> plots, String file, String title, boolean isBlocking) {
        List<Cell> cells = setup.cells().stream().filter(Cell::isLatency).toList();
        add(plots, file, title + ": median, in microseconds", isBlocking, cells, Figures::p50Us);
    }

    private void addRate(Map<String, String> plots, String file, String title, boolean isBlocking) {
        List<Cell> cells = setup.cells().stream().filter(cell -> !cell.isLatency()).toList();
        add(plots, file, title + ": calls per second", isBlocking, cells, Figures::callsPerS);
    }

    private void add(
            Map<String, String> plots,
            String file,
            String title,
            boolean isBlocking,
            List<Cell> all,
            ToDoubleFunction<Figures> figure) {
        List<Contestant> shown =
                medians.keySet().stream()
                        .filter(each -> each.caller().isBlocking() == isBlocking)
                        .filter(each -> all.stream().anyMatch(each::measures))
                        .toList();
        List<Cell> cells =
                all.stream()
                        .filter(cell -> shown.stream().anyMatch(each -> each.measures(cell)))
                        .toList();
        if (shown.isEmpty()) {
            return;
        }
        Map<String, List<Double>> series = new LinkedHashMap<>();
        for (Contestant each : shown) {
            series.put(each.key(), cells.stream().map(cell -> value(each, cell, figure)).toList());
        }
        List<String> groups =
                cells.stream().map(cell -> cell.size() + ", depth " + cell.depth()).toList();
        plots.put(file, new BarPlot(title, groups, series).toString());
    }

    private double value(Contestant contestant, Cell cell, ToDoubleFunction<Figures> figure) {
        Figures found = medians.get(contestant).get(cell);
        return found == null ? Double.NaN : figure.applyAsDouble(found);
    }
}
