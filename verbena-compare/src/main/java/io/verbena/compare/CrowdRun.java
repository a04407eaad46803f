// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.bench.measure.ResidentMemory;
import io.verbena.bench.measure.Tally;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures many connections: what each adds to the memory of both processes, and how long calls
 * take that use them in turn.
 */
final class CrowdRun {
    /** Connections that are open before memory is counted: the first ones start what all share. */
    private static final int FIRST_SHARE = 10;

    /** Enough calls on one connection to load and compile what they use, and to fill the heap. */
    private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(2);

    private final EchoClient first;
    private final long serverPid;
    private final List<EchoClient> connections = new ArrayList<>();
    private final List<EchoClient.BlockingCaller> callers = new ArrayList<>();

    /**
     * A run.
     *
     * @param first the first connection; the others are its siblings
     * @param serverPid the server's process id
     */
    CrowdRun(EchoClient first, long serverPid) {
        this.first = first;
        this.serverPid = serverPid;
    }

    /**
     * {@return the measured figures}
     *
     * @param count how many connections
     * @param measureNs how long to make calls over all of them
     * @throws Exception if a call fails
     */
    CrowdFigures run(int count, long measureNs) throws Exception {
        EchoClient.BlockingCaller caller = first.blockingCaller(Cell.SMALLEST);
        callInTurn(List.of(caller), WARM_UP_NS);
        int before = Math.max(1, count / FIRST_SHARE);
        connect(before);
        OptionalLong clientBefore = ResidentMemory.afterCollection();
        OptionalLong serverBefore = serverMemory();
        connect(count);
        int added = Math.max(1, count - before);
        OptionalLong client =
                ResidentMemory.growth(clientBefore, ResidentMemory.afterCollection(), added);
        OptionalLong server = ResidentMemory.growth(serverBefore, serverMemory(), added);
        Histogram latencies = callInTurn(callers, measureNs);
        connections.forEach(EchoClient::close);
        return new CrowdFigures(
                value(client),
                value(server),
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3);
    }

    /** Opens connections until there are as many; each makes one call. */
    private void connect(int count) throws Exception {
        while (connections.size() < count) {
            EchoClient connection = first.sibling();
            connections.add(connection);
            callers.add(connection.blockingCaller(Cell.SMALLEST));
            try {
                int _ = callers.getLast().call();
            } catch (Exception e) {
                throw new IllegalStateException(
                        "connection " + connections.size() + ": " + e.getMessage(), e);
            }
        }
    }

    private static Histogram callInTurn(List<EchoClient.BlockingCaller> callers, long forNs)
            throws Exception {
        Tally tally = Tally.ofAll();
        long startNs = System.nanoTime();
        long untilNs = startNs + forNs;
        for (int i = 0; startNs - untilNs < 0; i = (i + 1) % callers.size()) {
            int _ = callers.get(i).call();
            long now = System.nanoTime();
            tally.onAnswer(now - startNs);
            startNs = now;
        }
        return tally.takeInterval();
    }

    /** {@return the server's memory after a collection, which a tool of the JDK asks it to make} */
    private OptionalLong serverMemory() throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process collection =
                new ProcessBuilder(jcmd, Long.toString(serverPid), "GC.run")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        int status = collection.waitFor();
        return status == 0 ? ResidentMemory.of(serverPid) : OptionalLong.empty();
    }

    private static double value(OptionalLong bytes) {
        return bytes.isPresent() ? bytes.getAsLong() : Double.NaN;
    }
}
