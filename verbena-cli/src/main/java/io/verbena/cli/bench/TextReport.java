// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Prints a table with the columns of perftest, and below each row how it compares to the machine.
 */
final class TextReport implements Report {
    private static final String RULE = "-".repeat(100);
    private static final String BYTES = " %-10d %-12d";

    private final PrintWriter out;

    TextReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void begin(Setting setting) {
        Plan plan = setting.plan();
        out.println(RULE);
        out.printf(Locale.ROOT, "%20s%s%n", "", plan.test().title());
        pair("Connection type", "RC", "Device", setting.device());
        pair("Mtu", setting.mtuBytes() + "[B]", "Link type", setting.linkLayer());
        pair("TX depth", plan.txDepth(), "RX depth", plan.rxDepth());
        pair("Max inline data", setting.inlineBytes() + "[B]", "GID index", setting.gidIndex());
        pair("Memory", lower(plan.memory()), "CQ", plan.events() ? "events" : "polling");
        pair("Runs (medians)", plan.runs(), "Idle queue pairs", plan.idlePairs());
        out.println(RULE);
        out.printf(Locale.ROOT, " local address:  %s%n", address(setting.self()));
        out.printf(Locale.ROOT, " remote address: %s%n", address(setting.peer()));
        idleMemory("client", setting.idleBytesClient());
        idleMemory("server", setting.idleBytesServer());
        out.println(RULE);
        out.println(plan.test().isLatency() ? latencyHeader() : bandwidthHeader());
        out.flush();
    }

    @Override
    public void row(Setting setting, Row row) {
        if (setting.plan().test().isLatency()) {
            latency(setting.plan().test(), row);
            compareLatency(row);
        } else {
            bandwidth(row);
            compareBandwidth(row);
        }
        out.flush();
    }

    @Override
    public void end() {
        out.println(RULE);
        out.flush();
    }

    private static String latencyHeader() {
        return " #bytes     #iterations t_min[usec]  t_max[usec]  t_typical[usec]  t_avg[usec]"
                + "  t_stdev[usec]  99% percentile[usec]  99.9% percentile[usec]";
    }

    private static String bandwidthHeader() {
        return " #bytes     #iterations BW peak[MB/sec]  BW average[MB/sec]  MsgRate[Mpps]";
    }

    private void latency(TestKind test, Row row) {
        // As perftest: one way for a ping-pong, the whole operation for a read or an atomic.
        double part = test.isPingPong() ? 0.5 : 1;
        out.printf(
                Locale.ROOT,
                BYTES + "%-12.3f %-12.3f %-16.3f %-12.3f %-14.3f %-21.3f %.3f%n",
                row.bytes(),
                row.iterations(),
                row.minUs() * part,
                row.maxUs() * part,
                row.p50Us() * part,
                row.averageUs() * part,
                row.deviationUs() * part,
                row.p99Us() * part,
                row.p999Us() * part);
    }

    private void bandwidth(Row row) {
        out.printf(
                Locale.ROOT,
                BYTES + "%-16.2f %-19.2f %.6f%n",
                row.bytes(),
                row.iterations(),
                row.peakMbPerSecond(),
                row.mbPerSecond(),
                row.messagesPerSecond() / 1e6);
    }

    private void compareLatency(Row row) {
        out.printf(Locale.ROOT, "   round trip p50 %.3f p99 %.3f us", row.p50Us(), row.p99Us());
        floor(row);
        row.floorUs()
                .ifPresent(
                        floor ->
                                out.printf(
                                        Locale.ROOT,
                                        " (p50 x %.2f, p99 x %.2f)",
                                        row.p50Us() / floor,
                                        row.p99Us() / floor));
        row.aloneP50Us()
                .ifPresent(
                        alone ->
                                out.printf(
                                        Locale.ROOT,
                                        "; without idle pairs p50 %.3f us (x %.2f)",
                                        alone,
                                        row.p50Us() / alone));
        out.printf(Locale.ROOT, "; memcpy %.0f MB/s%n", row.copyMbPerSecond());
        row.perftest()
                .ifPresent(
                        theirs ->
                                out.printf(
                                        Locale.ROOT,
                                        "   perftest round trip p50 %.3f us (ours x %.2f)%n",
                                        theirs,
                                        row.p50Us() / theirs));
    }

    private void compareBandwidth(Row row) {
        out.printf(
                Locale.ROOT,
                "   memcpy %.0f MB/s (BW average %.1f %%); post to completion p50 %.3f us",
                row.copyMbPerSecond(),
                100 * row.mbPerSecond() / row.copyMbPerSecond(),
                row.p50Us());
        floor(row);
        out.println();
        row.perftest()
                .ifPresent(
                        theirs ->
                                out.printf(
                                        Locale.ROOT,
                                        "   perftest BW average %.2f MB/s (ours x %.2f)%n",
                                        theirs,
                                        row.mbPerSecond() / theirs));
    }

    private void floor(Row row) {
        row.floorUs()
                .ifPresentOrElse(
                        floor ->
                                out.printf(
                                        Locale.ROOT,
                                        "; shared cache line p50 %.3f p99 %.3f us",
                                        floor,
                                        row.floorP99Us().orElseThrow()),
                        () -> out.print("; shared cache line n/a (the peer is on another host)"));
    }

    private void idleMemory(String side, OptionalLong bytes) {
        bytes.ifPresent(
                count ->
                        out.printf(
                                Locale.ROOT,
                                " resident memory per idle queue pair, %s: %.1f KiB%n",
                                side,
                                count / 1024.0));
    }

    private void pair(String name, Object value, String otherName, Object otherValue) {
        out.printf(Locale.ROOT, " %-16s: %-16s %-16s: %s%n", name, value, otherName, otherValue);
    }

    private static String address(Peer peer) {
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
