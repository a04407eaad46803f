// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.tools.ParentWatch;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One of the two processes of a contestant. Arguments: {@code server CONTESTANT}, or {@code client
 * CONTESTANT PORT SERVER_PID WARM_UP_MS MEASURE_MS CELL ...}, a cell being {@code BYTES:DEPTH}, or
 * {@code crowd CONTESTANT PORT SERVER_PID MEASURE_MS CONNECTIONS}, or {@code stream CONTESTANT PORT
 * SERVER_PID WARM_UP_MS MEASURE_MS BYTES ...}.
 */
public final class Worker {
    /** The role of a client that measures cells. */
    static final String CLIENT = "client";

    /** The role of a client that measures many connections. */
    static final String CROWD = "crowd";

    /** The role of a client that measures streams. */
    static final String STREAM = "stream";

    /** What a server prints in front of its port. */
    static final String LISTENING = "worker listens on port ";

    /** What a client prints in front of the figures of each cell, in the order of its arguments. */
    static final String FIGURES = "worker found ";

    /**
     * How long a lap takes at most. Before the first measurement, each cell runs for some laps: on
     * few processors, the compilers of two JVMs are busy for several seconds and would distort
     * whatever is measured then.
     */
    private static final long LAP_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * How many laps there are at least, over all cells. On two processors a blocking stub makes
     * 5,000 calls per second in its fourth lap and 150,000 in its fifth.
     */
    private static final int LEAST_LAPS = 10;

    private Worker() {}

    /**
     * Runs it.
     *
     * @param arguments see above
     * @throws Exception if the system fails
     */
    public static void main(String[] arguments) throws Exception {
        ParentWatch.start();
        Contestant contestant = Contestant.valueOf(arguments[1]);
        EchoSystem system = find(contestant.system());
        if (arguments[0].equals("server")) {
            System.out.println(LISTENING + system.serve(contestant));
            new CountDownLatch(1).await();
        }
        List<String> rest = Arrays.asList(arguments).subList(2, arguments.length);
        try (EchoClient client = system.connect(contestant, Integer.parseInt(rest.get(0)))) {
            long serverPid = Long.parseLong(rest.get(1));
            List<String> task = rest.subList(2, rest.size());
            switch (arguments[0]) {
                case CROWD -> measureCrowd(client, serverPid, task);
                case STREAM -> measureStreams(client, serverPid, task);
                default -> measureCells(contestant, client, serverPid, task);
            }
        }
        // a system may leave threads behind
        System.exit(0);
    }

    private static void measureCrowd(EchoClient client, long serverPid, List<String> task)
            throws Exception {
        CrowdFigures figures =
                new CrowdRun(client, serverPid).run(Integer.parseInt(task.get(1)), ns(task.get(0)));
        System.out.println(FIGURES + figures.toLine());
    }

    private static void measureStreams(EchoClient client, long serverPid, List<String> task) {
        Processors processors = new Processors(serverPid);
        long warmUpNs = ns(task.get(0));
        long measureNs = ns(task.get(1));
        List<Integer> sizes = task.stream().skip(2).map(Integer::valueOf).toList();
        long lapNs = lapNs(warmUpNs, sizes.size());
        for (int bytes : sizes) {
            var _ = new StreamRun(client, bytes, processors).run(0, lapNs);
        }
        for (int bytes : sizes) {
            StreamFigures figures =
                    new StreamRun(client, bytes, processors).run(warmUpNs, measureNs);
            System.out.println(FIGURES + figures.toLine());
        }
    }

    private static void measureCells(
            Contestant contestant, EchoClient client, long serverPid, List<String> task)
            throws InterruptedException {
        Processors processors = new Processors(serverPid);
        long warmUpNs = ns(task.get(0));
        long measureNs = ns(task.get(1));
        List<Cell> cells = task.stream().skip(2).map(Worker::cell).toList();
        long lapNs = lapNs(warmUpNs, cells.size());
        for (Cell cell : cells) {
            var _ = new CellRun(client, cell, processors).run(contestant.caller(), 0, lapNs);
        }
        for (Cell cell : cells) {
            Figures figures =
                    new CellRun(client, cell, processors)
                            .run(contestant.caller(), warmUpNs, measureNs);
            System.out.println(FIGURES + figures.toLine());
        }
    }

    /** {@return how long each of some measurements runs before the first one counts} */
    private static long lapNs(long warmUpNs, int count) {
        long shortestNs = Math.min(warmUpNs, LAP_NS);
        return Math.max(shortestNs, LEAST_LAPS * shortestNs / count);
    }

    private static long ns(String milliseconds) {
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(milliseconds));
    }

    private static Cell cell(String text) {
        String[] words = text.split(":", -1);
        return new Cell(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    }

    private static EchoSystem find(String name) {
        return ServiceLoader.load(EchoSystem.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(system -> system.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "system: " + name + " (expected: one on the class path)"));
    }
}
