// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.bench.measure.Plan;
import io.verbena.bench.measure.Report;
import io.verbena.bench.measure.ResidentMemory;
import io.verbena.bench.verbs.ControlLink.Kind;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The side that decides and measures. Each run of a test comes between a run of the floor and a
 * memory copy, so that the machine's noise affects all of them alike.
 */
final class TestClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FLOOR_ROUNDS = 20_000;
    private static final int COPY_BLOCKS = 256;

    private final TestPlan plan;
    private final ControlLink link;
    private final StallCheck patience;
    private final Station station;
    private final MemoryCopy copy = new MemoryCopy();
    private final Optional<Floor> floor;
    private final Optional<Perftest> perftest;
    private int round;

    TestClient(TestPlan plan, LocalPort local, ControlLink link, Optional<Perftest> perftest) {
        this.plan = plan;
        this.link = link;
        this.perftest = perftest;
        this.patience = new StallCheck(link);
        link.send(Kind.PLAN, plan.encode());
        this.station = Station.open(plan, local, patience);
        link.send(Kind.ADDRESS, station.self().encode());
        station.peer(StationAddress.decode(link.await(Kind.ADDRESS, PATIENCE)));
        this.floor = openFloor();
    }

    void run(Consumer<Report> printer) {
        copy.run(COPY_BLOCKS);
        warmUpFloor();
        Conditions conditions = addIdlePairs();
        printer.accept(new TitleReport(conditions));
        for (int bytes : plan.sizes()) {
            printer.accept(new RowReport(conditions, measure(conditions, bytes)));
        }
        finish();
        printer.accept(TitleReport::printRule);
    }

    @Override
    public void close() {
        floor.ifPresent(Floor::close);
        copy.close();
        station.close();
    }

    /** {@return connections for messages of a size} */
    SizedPairs connect(int bytes) {
        link.send(Kind.SIZE);
        return SizedPairs.connect(station, bytes, link, PATIENCE);
    }

    /** Tells the server that nothing is left to do. */
    void finish() {
        link.send(Kind.BYE);
    }

    private Row measure(Conditions conditions, int bytes) {
        try (SizedPairs pairs = connect(bytes)) {
            Row.Entries entries =
                    new Row.Entries(
                            floor.map(line -> new Entry(n -> ping(line, n), FLOOR_ROUNDS, 0)),
                            entry(pairs, 0, bytes),
                            station.pairCount() > 1
                                    ? Optional.of(entry(pairs, 1, bytes))
                                    : Optional.empty(),
                            new Entry(copy, COPY_BLOCKS, 0),
                            perftest.map(tool -> entry(tool.lane(conditions, bytes), bytes, 0)));
            new Plan(plan.runs()).run(entries.inTurn());
            return Row.of(plan.test(), bytes, entries);
        }
    }

    private Entry entry(SizedPairs pairs, int index, int bytes) {
        return entry(n -> run(pairs, index, n), bytes, plan.warmupOf(bytes) / Plan.WARMUPS);
    }

    private Entry entry(Lane lane, int bytes, int warmup) {
        return new Entry(lane, plan.iterationsOf(bytes), warmup);
    }

    /** {@return a run of one of the pairs} */
    Measurement run(SizedPairs pairs, int index, int iterations) {
        Traffic traffic = pairs.traffic(index);
        round++;
        traffic.prepare(round);
        link.send(Kind.ROUND, SizedPairs.encode(index, iterations, round));
        link.await(Kind.READY, PATIENCE);
        Measurement measurement = traffic.drive(iterations);
        link.send(Kind.FINISHED);
        link.await(Kind.VERIFIED, PATIENCE);
        traffic.verify(round, iterations);
        return measurement;
    }

    private void warmUpFloor() {
        for (int i = 0; i < Plan.WARMUPS; i++) {
            floor.ifPresent(line -> ping(line, FLOOR_ROUNDS / Plan.WARMUPS));
        }
    }

    private Measurement ping(Floor line, int rounds) {
        link.send(Kind.ROUND, SizedPairs.encode(TestServer.FLOOR, rounds, 0));
        link.await(Kind.READY, PATIENCE);
        return line.ping(rounds);
    }

    /** Maps a file on both sides and removes it at once, so that nothing is left behind. */
    private Optional<Floor> openFloor() {
        try {
            Path file = Floor.createFile();
            try {
                Floor line = Floor.open(file, patience);
                link.send(Kind.FLOOR, file.toString());
                if (link.awaitText(Kind.FLOOR, PATIENCE).isEmpty()) {
                    return Optional.of(line);
                }
                line.close();
                return Optional.empty();
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new ToolException("cannot share a cache line: " + e.getMessage(), e);
        }
    }

    /**
     * Creates the idle queue pairs. The first tenth is a warm-up; the growth of resident memory is
     * measured over the rest.
     */
    private Conditions addIdlePairs() {
        int all = plan.idlePairs();
        if (all == 0) {
            return Conditions.of(station, OptionalLong.empty(), OptionalLong.empty());
        }
        int first = all / 10;
        addIdlePairs(first);
        OptionalLong serverBefore = addIdlePairs(0);
        OptionalLong clientBefore = ResidentMemory.afterCollection();
        addIdlePairs(all - first);
        OptionalLong serverAfter = addIdlePairs(0);
        OptionalLong clientAfter = ResidentMemory.afterCollection();
        return Conditions.of(
                station,
                ResidentMemory.growth(clientBefore, clientAfter, all - first),
                ResidentMemory.growth(serverBefore, serverAfter, all - first));
    }

    /** {@return the server's resident memory after adding some pairs} */
    private OptionalLong addIdlePairs(int count) {
        link.send(Kind.IDLE_PAIRS, SizedPairs.encode(station.createIdlePairs(count)));
        station.connectIdlePairs(SizedPairs.decode(link.await(Kind.IDLE_PAIRS, PATIENCE)));
        long resident = ByteBuffer.wrap(link.await(Kind.RESIDENT, PATIENCE)).getLong();
        return resident < 0 ? OptionalLong.empty() : OptionalLong.of(resident);
    }
}
