// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs contestants in turn, each with two processes that are started for its turn and ended after
 * it: a contestant that polls would take processors from the others.
 */
final class Contest {
    private static final Duration CELL_MARGIN = Duration.ofSeconds(60);

    private final Setup setup;
    private final Turns turns;

    /**
     * The settings of a contest.
     *
     * @param contestants the contestants
     * @param cells what is measured, by those contestants that take part in it
     * @param rounds how many turns each contestant has
     * @param warmUpMs how long each cell runs before it is measured
     * @param measureMs how long each cell is measured
     * @param connections how many connections to measure besides; 0 for none
     * @param streamBytes the message sizes of streams to measure besides; empty for none
     * @param brpcLibraries the folder with brpc-java and what it needs
     */
    record Setup(
            List<Contestant> contestants,
            List<Cell> cells,
            int rounds,
            long warmUpMs,
            long measureMs,
            int connections,
            List<Integer> streamBytes,
            Path brpcLibraries) {

        /** {@return the measurements that a contestant takes part in} */
        List<Cell> cellsOf(Contestant contestant) {
            return cells.stream().filter(contestant::measures).toList();
        }
    }

    Contest(Setup setup, Turns turns) {
        this.setup = setup;
        this.turns = turns;
    }

    /** {@return the medians over the rounds} */
    Map<Contestant, Map<Cell, Figures>> run() throws InterruptedException {
        Map<Contestant, Map<Cell, List<Figures>>> all = new EnumMap<>(Contestant.class);
        for (int round = 1; round <= setup.rounds(); round++) {
            for (Contestant contestant : setup.contestants()) {
                turns.take("round " + round + ": " + contestant.key(), () -> turn(contestant))
                        .ifPresent(
                                found ->
                                        addTo(
                                                all.computeIfAbsent(
                                                        contestant, _ -> new LinkedHashMap<>()),
                                                found));
            }
        }
        Map<Contestant, Map<Cell, Figures>> medians = new EnumMap<>(Contestant.class);
        all.forEach(
                (contestant, cells) -> {
                    Map<Cell, Figures> of = new LinkedHashMap<>();
                    cells.forEach((cell, figures) -> of.put(cell, Figures.medians(figures)));
                    medians.put(contestant, of);
                });
        return medians;
    }

    private static void addTo(Map<Cell, List<Figures>> all, Map<Cell, Figures> found) {
        found.forEach(
                (cell, figures) -> all.computeIfAbsent(cell, _ -> new ArrayList<>()).add(figures));
    }

    private Map<Cell, Figures> turn(Contestant contestant) throws InterruptedException {
        Map<Cell, Figures> found = new LinkedHashMap<>();
        List<Cell> cells = setup.cellsOf(contestant);
        List<String> rest = new ArrayList<>();
        rest.add(Long.toString(setup.warmUpMs()));
        rest.add(Long.toString(setup.measureMs()));
        cells.forEach(cell -> rest.add(cell.bytes() + ":" + cell.depth()));
        Duration limit = Duration.ofMillis(setup.warmUpMs() + setup.measureMs()).plus(CELL_MARGIN);
        try (WorkerPair pair =
                new WorkerPair(
                        contestant,
                        JvmOptions.SHARED,
                        setup.brpcLibraries(),
                        turns.progress(),
                        Worker.CLIENT,
                        rest)) {
            for (Cell cell : cells) {
                found.put(cell, Figures.parse(pair.awaitFigures(limit)));
            }
        }
        return found;
    }
}
