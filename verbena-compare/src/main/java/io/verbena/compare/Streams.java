// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures contestants in turn with one stream of messages at a time. */
final class Streams {
    private static final Duration MARGIN = Duration.ofSeconds(60);

    private final Contest.Setup setup;
    private final Turns turns;

    Streams(Contest.Setup setup, Turns turns) {
        this.setup = setup;
        this.turns = turns;
    }

    /** {@return the medians over the rounds, by message size; empty if no size was asked for} */
    Map<Contestant, Map<Integer, StreamFigures>> run() throws InterruptedException {
        Map<Contestant, Map<Integer, List<StreamFigures>>> all = new EnumMap<>(Contestant.class);
        for (int round = 1; round <= setup.rounds() && !setup.streamBytes().isEmpty(); round++) {
            for (Contestant contestant : setup.contestants()) {
                if (contestant.hasStreams()) {
                    turns.take(
                                    "round " + round + ": " + contestant.key() + ", streams",
                                    () -> turn(contestant))
                            .ifPresent(
                                    found ->
                                            addTo(
                                                    all.computeIfAbsent(
                                                            contestant, _ -> new LinkedHashMap<>()),
                                                    found));
                }
            }
        }
        Map<Contestant, Map<Integer, StreamFigures>> medians = new EnumMap<>(Contestant.class);
        all.forEach(
                (contestant, sizes) -> {
                    Map<Integer, StreamFigures> of = new LinkedHashMap<>();
                    sizes.forEach((size, found) -> of.put(size, StreamFigures.medians(found)));
                    medians.put(contestant, of);
                });
        return medians;
    }

    private static void addTo(
            Map<Integer, List<StreamFigures>> all, Map<Integer, StreamFigures> found) {
        found.forEach(
                (bytes, figures) ->
                        all.computeIfAbsent(bytes, _ -> new ArrayList<>()).add(figures));
    }

    private Map<Integer, StreamFigures> turn(Contestant contestant) throws InterruptedException {
        Map<Integer, StreamFigures> found = new LinkedHashMap<>();
        List<String> rest = new ArrayList<>();
        rest.add(Long.toString(setup.warmUpMs()));
        rest.add(Long.toString(setup.measureMs()));
        setup.streamBytes().forEach(bytes -> rest.add(Integer.toString(bytes)));
        Duration limit = Duration.ofMillis(setup.warmUpMs() + setup.measureMs()).plus(MARGIN);
        try (WorkerPair pair =
                new WorkerPair(
                        contestant,
                        JvmOptions.SHARED,
                        setup.brpcLibraries(),
                        turns.progress(),
                        Worker.STREAM,
                        rest)) {
            for (int bytes : setup.streamBytes()) {
                found.put(bytes, StreamFigures.parse(pair.awaitFigures(limit)));
            }
        }
        return found;
    }
}
