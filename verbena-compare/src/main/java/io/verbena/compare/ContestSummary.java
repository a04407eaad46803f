// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The short table of a contest: small calls, in the order in which people meet them. Blocking stubs
 * with ordinary services come first.
 */
final class ContestSummary {
    private static final List<CallerKind> ORDER =
            List.of(CallerKind.PLATFORM, CallerKind.VIRTUAL, CallerKind.INLINE);

    private final Map<Contestant, Map<Cell, Figures>> medians;

    ContestSummary(Map<Contestant, Map<Cell, Figures>> medians) {
        this.medians = medians;
    }

    /** {@return the table in Markdown} */
    String table() {
        StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "| calls of %s | system | transport | one at a time: p50 µs |"
                                        + " %d at a time: calls/s | CPU µs/call |%n"
                                        + "|---|---|---|---:|---:|---:|%n",
                                Cell.ONE_SMALL.size(),
                                Cell.MANY_SMALL.depth()));
        medians.keySet().stream()
                .filter(ContestSummary::isShown)
                .sorted(Comparator.comparingInt(each -> ORDER.indexOf(each.caller())))
                .forEach(each -> text.append(row(each, medians.get(each))));
        return text.toString();
    }

    /** Leaves out settings for special cases. */
    private static boolean isShown(Contestant contestant) {
        return contestant.caller().isBlocking()
                ? contestant.service() == ServiceKind.ORDINARY
                : contestant != Contestant.VERBENA_SOFT_POLLING
                        && !contestant.mode().equals(Contestant.INTERCEPTED)
                        && !contestant.mode().equals(Contestant.ATTACHMENT);
    }

    private static String row(Contestant contestant, Map<Cell, Figures> cells) {
        Figures one = cells.get(Cell.ONE_SMALL);
        Figures many = cells.get(Cell.MANY_SMALL);
        Figures busiest = many == null ? one : many;
        return String.format(
                Locale.ROOT,
                "| %s, %s service | %s | %s | %s | %s | %s |%n",
                words(contestant.caller()),
                contestant.service() == ServiceKind.ORDINARY ? "ordinary" : "non-blocking",
                contestant.system(),
                transport(contestant),
                one == null ? "–" : String.format(Locale.ROOT, "%.1f", one.p50Us()),
                many == null ? "–" : String.format(Locale.ROOT, "%,.0f", many.callsPerS()),
                busiest == null ? "–" : String.format(Locale.ROOT, "%.1f", busiest.cpuUsPerCall()));
    }

    private static String transport(Contestant contestant) {
        return contestant.mode().equals(Contestant.TLS)
                ? contestant.transport() + " with TLS"
                : contestant.transport();
    }

    private static String words(CallerKind caller) {
        return switch (caller) {
            case PLATFORM -> "blocking stub on a platform thread";
            case VIRTUAL -> "blocking stubs on virtual threads";
            case INLINE -> "callbacks";
        };
    }
}
