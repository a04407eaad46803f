// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.cli.proto.ConnectionState;
import io.verbena.cli.proto.StateResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the demonstration shows: RDMA and TCP side by side, and the state of both processes. */
final class DemoView {
    private static final double MEBIBYTE = 1 << 20;

    private final Screen screen;
    private final DemoClient client;

    DemoView(Screen screen, DemoClient client) {
        this.screen = screen;
        this.client = client;
    }

    /**
     * Shows the progress of the run: the whole view on a terminal, elsewhere one line.
     *
     * @param second how many seconds have passed
     * @param fraction the elapsed fraction of the time
     * @param state a few words
     */
    void update(long second, double fraction, String state) {
        if (screen.isTerminal()) {
            draw(screen.bar(fraction) + "  " + state);
        } else {
            screen.show(List.of(line(second, state)));
        }
    }

    private String line(long second, String state) {
        DemoLoad rdma = client.overRdma().getFirst();
        DemoLoad tcp = client.overTcp().getFirst();
        return String.format(
                Locale.ROOT,
                "  %2d s  %s  %s: RDMA p50 %.2f us, TCP p50 %.2f us",
                second,
                state,
                rdma.kind().label(),
                rdma.percentileUs(50),
                tcp.percentileUs(50));
    }

    /**
     * Shows the result.
     *
     * @param summary the line below it
     * @param warning a line below that
     */
    void finish(String summary, Optional<String> warning) {
        draw(screen.good("ok") + "  " + summary);
        warning.ifPresent(text -> screen.show(List.of("  busy  " + text)));
    }

    private void draw(String lastLine) {
        List<String> lines = new ArrayList<>();
        String columns =
                String.format(
                        Locale.ROOT, "%9s %6s %6s %5s", "calls/s", "p50 us", "p99 us", "MB/s");
        lines.add(
                screen.bold(
                        String.format(
                                Locale.ROOT,
                                "  %-18s %29s %29s",
                                "",
                                "---------- over RDMA --------",
                                "----------- over TCP --------")));
        lines.add(
                screen.bold(
                        String.format(Locale.ROOT, "  %-18s %s %s", "calls", columns, columns)));
        for (int i = 0; i < client.overRdma().size(); i++) {
            DemoLoad rdma = client.overRdma().get(i);
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "  %-18s %s %s",
                            rdma.kind().label(),
                            cells(rdma),
                            cells(client.overTcp().get(i))));
        }
        lines.add("");
        addState(lines);
        lines.add("");
        lines.add("  " + lastLine);
        screen.show(lines);
    }

    private static String cells(DemoLoad load) {
        return String.format(
                Locale.ROOT,
                "%,9.0f %6s %6s %5.0f",
                load.callsPerSecond(),
                micros(load.percentileUs(50)),
                micros(load.percentileUs(99)),
                load.megabytesPerSecond());
    }

    /** {@return a time with the digits that matter, so that columns stay narrow} */
    private static String micros(double time) {
        return String.format(Locale.ROOT, time < 100 ? "%.1f" : "%.0f", time);
    }

    private void addState(List<String> lines) {
        StateResponse server = client.serverState();
        server.getConnectionList().stream()
                .sorted((one, other) -> Boolean.compare(other.getIsRdma(), one.getIsRdma()))
                .forEach(connection -> lines.add(describe(connection)));
        PoolUse own = client.poolUse();
        lines.add(
                String.format(
                        Locale.ROOT,
                        "  memory pools: client %.1f of %.0f MiB in use, server %.1f of %.0f",
                        own.bytesInUse() / MEBIBYTE,
                        own.bytes() / MEBIBYTE,
                        server.getPoolBytesInUse() / MEBIBYTE,
                        server.getPoolBytes() / MEBIBYTE));
    }

    private static String describe(ConnectionState connection) {
        if (!connection.getIsRdma()) {
            return String.format(
                    Locale.ROOT, "  TCP    %,d bytes unwritten", connection.getUnwrittenBytes());
        }
        return String.format(
                Locale.ROOT,
                "  RDMA   window %d of %d to send, %d at the peer; %,d bytes unwritten",
                connection.getSendWindow(),
                connection.getWindowCapacity(),
                connection.getRemoteWindow(),
                connection.getUnwrittenBytes());
    }
}
