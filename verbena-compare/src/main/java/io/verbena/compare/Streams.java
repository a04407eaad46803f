// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.io.PrintWriter;
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
    private final PrintWriter progress;

    Streams(Contest.Setup setup, PrintWriter progress) {
        this.setup = setup;
        this.progress = progress;
    }

    /** {@return the medians over the rounds, by message size; empty if no size was asked for} */
    Map<Contestant, Map<Integer, StreamFigures>> run() throws InterruptedException {
        Map<Contestant, Map<Integer, List<StreamFigures>>> all = new EnumMap<>(Contestant.class);
        for (int round = 1; round <= setup.rounds() && !setup.streamBytes().isEmpty(); round++) {
            for (Contestant contestant : setup.contestants()) {
                if (contestant.hasStreams()) {
                    progress.println("round " + round + ": " + contestant.key() + ", streams");
                    progress.flush();
                    turn(contestant, all.computeIfAbsent(contestant, _ -> new LinkedHashMap<>()));
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

    private void turn(Contestant contestant, Map<Integer, List<StreamFigures>> found)
            throws InterruptedException {
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
                        progress,
                        Worker.STREAM,
                        rest)) {
            for (int bytes : setup.streamBytes()) {
                found.computeIfAbsent(bytes, _ -> new ArrayList<>())
                        .add(StreamFigures.parse(pair.awaitFigures(limit)));
            }
        }
    }
}
