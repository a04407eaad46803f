// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.bench.ControlLink.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The half that decides and measures. Every run of a test stands between a run of the floor and a
 * memory copy, so that noise of the machine hits all of them alike.
 */
final class BenchClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FLOOR_ROUNDS = 20_000;
    private static final int COPY_BLOCKS = 256;
    private static final int WARMUP_ROUNDS = 10;

    private final Plan plan;
    private final ControlLink link;
    private final Patience patience;
    private final Station station;
    private final MemoryCopy copy = new MemoryCopy();
    private final Optional<Floor> floor;
    private final Optional<Perftest> perftest;
    private int round;

    BenchClient(Plan plan, LocalPort local, ControlLink link, Optional<Perftest> perftest) {
        this.plan = plan;
        this.link = link;
        this.perftest = perftest;
        this.patience = new Patience(link);
        link.send(Kind.PLAN, plan.encode());
        this.station = Station.open(plan, local, patience);
        link.send(Kind.ADDRESS, station.self().encode());
        station.peer(Peer.decode(link.await(Kind.ADDRESS, PATIENCE)));
        this.floor = openFloor();
    }

    void run(Report report) {
        copy.bytesPerSecond(COPY_BLOCKS);
        warmUpFloor();
        Setting setting = addIdlePairs();
        report.begin(setting);
        for (int bytes : plan.sizes()) {
            report.row(setting, measure(setting, bytes));
        }
        finish();
        report.end();
    }

    @Override
    public void close() {
        floor.ifPresent(Floor::close);
        copy.close();
        station.close();
    }

    /** {@return connections for messages of a size} */
    Lanes connect(int bytes) {
        link.send(Kind.SIZE);
        return Lanes.connect(station, bytes, link, PATIENCE);
    }

    /** Tells the server that there is no more to do. */
    void finish() {
        link.send(Kind.BYE);
    }

    private Row measure(Setting setting, int bytes) {
        List<Measurement> runs = new ArrayList<>();
        List<Measurement> alone = new ArrayList<>();
        List<Measurement> floors = new ArrayList<>();
        List<Double> copies = new ArrayList<>();
        List<Double> perftests = new ArrayList<>();
        try (Lanes lanes = connect(bytes)) {
            for (int i = 0; i < station.laneCount(); i++) {
                warmUp(lanes, i, plan.warmupOf(bytes));
            }
            for (int i = 0; i < plan.runs(); i++) {
                floor.ifPresent(line -> floors.add(runFloor(line, FLOOR_ROUNDS)));
                runs.add(runLane(lanes, 0, plan.iterationsOf(bytes)));
                if (station.laneCount() > 1) {
                    alone.add(runLane(lanes, 1, plan.iterationsOf(bytes)));
                }
                copies.add(copy.bytesPerSecond(COPY_BLOCKS));
                perftest.ifPresent(
                        tool ->
                                perftests.add(
                                        tool.measure(setting, bytes, plan.iterationsOf(bytes))));
            }
        }
        return Row.of(bytes, runs, alone, floors, copies, perftests);
    }

    /**
     * In several rounds, so that the compiled loop is entered afresh and not only replaced on
     * stack.
     */
    private void warmUp(Lanes lanes, int lane, int messages) {
        int share = messages / WARMUP_ROUNDS;
        for (int i = 0; i < WARMUP_ROUNDS && share > 0; i++) {
            runLane(lanes, lane, share);
        }
    }

    Measurement runLane(Lanes lanes, int lane, int iterations) {
        Traffic traffic = lanes.traffic(lane);
        round++;
        traffic.prepare(round);
        link.send(Kind.ROUND, Lanes.encode(lane, iterations, round));
        link.await(Kind.READY, PATIENCE);
        Measurement measurement = traffic.drive(iterations);
        link.send(Kind.FINISHED);
        link.await(Kind.VERIFIED, PATIENCE);
        traffic.verify(round, iterations);
        return measurement;
    }

    private void warmUpFloor() {
        for (int i = 0; i < WARMUP_ROUNDS; i++) {
            floor.ifPresent(line -> runFloor(line, FLOOR_ROUNDS / WARMUP_ROUNDS));
        }
    }

    private Measurement runFloor(Floor line, int rounds) {
        link.send(Kind.ROUND, Lanes.encode(BenchServer.FLOOR_LANE, rounds, 0));
        link.await(Kind.READY, PATIENCE);
        return line.ping(rounds);
    }

    /** Maps a file on both sides and removes it at once, so that nothing stays behind. */
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
            throw new BenchException("cannot share a cache line: " + e.getMessage(), e);
        }
    }

    /**
     * Makes the idle queue pairs. The first tenth warms up; the growth of resident memory is taken
     * over the rest.
     */
    private Setting addIdlePairs() {
        int all = plan.idlePairs();
        if (all == 0) {
            return Setting.of(station, OptionalLong.empty(), OptionalLong.empty());
        }
        int first = all / 10;
        addIdlePairs(first);
        OptionalLong serverBefore = addIdlePairs(0);
        OptionalLong clientBefore = ResidentMemory.afterCollection();
        addIdlePairs(all - first);
        OptionalLong serverAfter = addIdlePairs(0);
        OptionalLong clientAfter = ResidentMemory.afterCollection();
        return Setting.of(
                station,
                growth(clientBefore, clientAfter, all - first),
                growth(serverBefore, serverAfter, all - first));
    }

    /** {@return the server's resident memory after adding some pairs} */
    private OptionalLong addIdlePairs(int count) {
        link.send(Kind.IDLE_PAIRS, Lanes.encode(station.createIdlePairs(count)));
        station.connectIdlePairs(Lanes.decode(link.await(Kind.IDLE_PAIRS, PATIENCE)));
        long resident = ByteBuffer.wrap(link.await(Kind.RESIDENT, PATIENCE)).getLong();
        return resident < 0 ? OptionalLong.empty() : OptionalLong.of(resident);
    }

    private static OptionalLong growth(OptionalLong before, OptionalLong after, int pairs) {
        return before.isPresent() && after.isPresent()
                ? OptionalLong.of((after.getAsLong() - before.getAsLong()) / pairs)
                : OptionalLong.empty();
    }
}
