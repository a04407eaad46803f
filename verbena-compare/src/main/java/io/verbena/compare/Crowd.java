// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures contestants in turn with many connections each. */
final class Crowd {
    private static final Duration MARGIN = Duration.ofSeconds(60);

    /** A slow machine and a slow handshake. */
    private static final Duration PER_CONNECTION = Duration.ofMillis(50);

    private final Contest.Setup setup;
    private final Turns turns;

    Crowd(Contest.Setup setup, Turns turns) {
        this.setup = setup;
        this.turns = turns;
    }

    /** {@return the medians over the rounds; empty if no connections were asked for} */
    Map<Contestant, CrowdFigures> run() throws InterruptedException {
        Map<Contestant, List<CrowdFigures>> all = new EnumMap<>(Contestant.class);
        for (int round = 1; round <= setup.rounds() && setup.connections() > 0; round++) {
            for (Contestant contestant : setup.contestants()) {
                if (contestant.isCrowd()) {
                    String what =
                            String.format(
                                    Locale.ROOT,
                                    "round %d: %s, %d connections",
                                    round,
                                    contestant.key(),
                                    setup.connections());
                    turns.take(what, () -> turn(contestant))
                            .ifPresent(
                                    found ->
                                            all.computeIfAbsent(contestant, _ -> new ArrayList<>())
                                                    .add(found));
                }
            }
        }
        Map<Contestant, CrowdFigures> medians = new EnumMap<>(Contestant.class);
        all.forEach((contestant, found) -> medians.put(contestant, CrowdFigures.medians(found)));
        return medians;
    }

    private CrowdFigures turn(Contestant contestant) throws InterruptedException {
        List<String> rest =
                List.of(Long.toString(setup.measureMs()), Integer.toString(setup.connections()));
        Duration limit =
                PER_CONNECTION
                        .multipliedBy(setup.connections())
                        .plusMillis(setup.measureMs())
                        .plus(MARGIN);
        try (WorkerPair pair =
                new WorkerPair(
                        contestant,
                        JvmOptions.CROWD,
                        setup.brpcLibraries(),
                        turns.progress(),
                        Worker.CROWD,
                        rest)) {
            return CrowdFigures.parse(pair.awaitFigures(limit));
        }
    }
}
