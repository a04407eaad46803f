// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Report;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What perftest prints above its rows: the conditions of the measurement, and the columns. Only for
 * people: in JSON each row contains everything.
 *
 * @param conditions the conditions
 */
record TitleReport(Conditions conditions) implements Report {
    private static final String RULE = "-".repeat(100);

    @Override
    public void printText(PrintWriter out) {
        TestPlan plan = conditions.plan();
        printRule(out);
        out.printf(Locale.ROOT, "%20s%s%n", "", plan.test().title());
        pair(out, "Connection type", "RC", "Device", conditions.device());
        pair(out, "Mtu", conditions.mtuBytes() + "[B]", "Link type", conditions.linkLayer());
        pair(out, "TX depth", plan.txDepth(), "RX depth", plan.rxDepth());
        pair(
                out,
                "Max inline data",
                conditions.inlineBytes() + "[B]",
                "GID index",
                conditions.gidIndex());
        pair(out, "Memory", lower(plan.memory()), "CQ", plan.events() ? "events" : "polling");
        pair(out, "Runs (medians)", plan.runs(), "Idle queue pairs", plan.idlePairs());
        printRule(out);
        out.printf(Locale.ROOT, " local address:  %s%n", address(conditions.self()));
        out.printf(Locale.ROOT, " remote address: %s%n", address(conditions.peer()));
        idleMemory(out, "client", conditions.idleBytesClient());
        idleMemory(out, "server", conditions.idleBytesServer());
        printRule(out);
        out.println(plan.test().isLatency() ? latencyHeader() : bandwidthHeader());
    }

    /** The line above and below a table. */
    static void printRule(PrintWriter out) {
        out.println(RULE);
    }

    private static String latencyHeader() {
        return " #bytes     #iterations t_min[usec]  t_max[usec]  t_typical[usec]  t_avg[usec]"
                + "  t_stdev[usec]  99% percentile[usec]  99.9% percentile[usec]";
    }

    private static String bandwidthHeader() {
        return " #bytes     #iterations BW peak[MB/sec]  BW average[MB/sec]  MsgRate[Mpps]";
    }

    private static void idleMemory(PrintWriter out, String side, OptionalLong bytes) {
        bytes.ifPresent(
                count ->
                        out.printf(
                                Locale.ROOT,
                                " resident memory per idle queue pair, %s: %.1f KiB%n",
                                side,
                                count / 1024.0));
    }

    private static void pair(
            PrintWriter out, String name, Object value, String otherName, Object otherValue) {
        out.printf(Locale.ROOT, " %-16s: %-16s %-16s: %s%n", name, value, otherName, otherValue);
    }

    private static String address(StationAddress peer) {
        return String.format(
                Locale.ROOT,
                "LID 0x%04x PSN 0x%06x GID %s",
                peer.lid(),
                peer.packetSequenceNumber(),
                peer.gid());
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
