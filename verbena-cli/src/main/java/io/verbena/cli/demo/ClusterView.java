// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the cluster demo shows: the calls of each server, and what happened last. */
final class ClusterView {
    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final Screen screen;
    private final ClusterLoad load;

    /** By port: how many calls were answered when it was last shown. */
    private final Map<Integer, Long> shown = new HashMap<>();

    private String lastEvent = "all servers serve";

    /**
     * Shows what is answered from now on.
     *
     * @param members those that have answered already
     */
    ClusterView(Screen screen, ClusterLoad load, List<ClusterMember> members) {
        this.screen = screen;
        this.load = load;
        members.forEach(member -> shown.put(member.port(), load.answeredBy(member.port())));
    }

    /** Something happened: shown until something else does, or as a line of its own. */
    void note(String event) {
        lastEvent = event;
        if (!screen.isTerminal()) {
            screen.show(List.of("  --    " + event));
        }
    }

    /** Shows the calls since the last time. */
    void update(List<ClusterMember> members, long intervalNs, long second, double fraction) {
        double most = 1;
        Map<Integer, Double> rates = new HashMap<>();
        for (ClusterMember member : members) {
            long answered = load.answeredBy(member.port());
            long before = shown.getOrDefault(member.port(), 0L);
            shown.put(member.port(), answered);
            double rate = (answered - before) * SECOND_NS / intervalNs;
            rates.put(member.port(), rate);
            most = Math.max(most, rate);
        }
        if (screen.isTerminal()) {
            draw(members, rates, most, fraction);
        } else {
            screen.show(List.of(line(members, rates, second)));
        }
    }

    private static String line(
            List<ClusterMember> members, Map<Integer, Double> rates, long second) {
        StringBuilder line =
                new StringBuilder(String.format(Locale.ROOT, "  %2d s  calls/s", second));
        for (ClusterMember member : members) {
            line.append(
                    String.format(
                            Locale.ROOT, "  %d: %,.0f", member.number(), rates.get(member.port())));
        }
        return line.toString();
    }

    /** In 80 columns: a line that is continued on the next one cannot be drawn again. */
    private void draw(
            List<ClusterMember> members, Map<Integer, Double> rates, double most, double fraction) {
        List<String> lines = new ArrayList<>();
        for (ClusterMember member : members) {
            double rate = rates.get(member.port());
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "  server %2d  pid %-7d %-7s %s %,9.0f calls/s",
                            member.number(),
                            member.pid(),
                            member.state().name().toLowerCase(Locale.ROOT),
                            screen.bar(rate / most),
                            rate));
        }
        lines.add("");
        lines.add("  " + screen.bold(lastEvent));
        lines.add(
                String.format(
                        Locale.ROOT,
                        "  %s  %,d answered, %,d failed, %,d retried",
                        screen.bar(fraction),
                        load.answered(),
                        load.failed(),
                        load.retried()));
        screen.show(lines);
    }
}
