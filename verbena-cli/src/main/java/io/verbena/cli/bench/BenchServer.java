// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.bench.ControlLink.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The half that does what the client says, until it says goodbye. */
final class BenchServer implements AutoCloseable {
    /** Stands for the shared cache line where a round names its lane. */
    static final int FLOOR_LANE = -1;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A client may well measure for a long time without a word. */
    private static final Duration LONG_PATIENCE = Duration.ofHours(1);

    private final Plan plan;
    private final ControlLink link;
    private final Patience patience;
    private final Station station;
    private Optional<Floor> floor = Optional.empty();
    private Optional<Lanes> lanes = Optional.empty();
    private int nextSize;

    /**
     * Takes the client's plan.
     *
     * @param expected the test named on the command line, which the client must want too
     */
    BenchServer(TestKind expected, LocalPort local, ControlLink link) {
        this.link = link;
        this.patience = new Patience(link);
        this.plan = Plan.decode(link.await(Kind.PLAN, PATIENCE));
        if (plan.test() != expected) {
            throw new BenchException(
                    "test of the client: "
                            + plan.test().id()
                            + " (expected: "
                            + expected.id()
                            + ")");
        }
        this.station = Station.open(plan, local, patience);
        station.peer(Peer.decode(link.await(Kind.ADDRESS, PATIENCE)));
        link.send(Kind.ADDRESS, station.self().encode());
    }

    void run() {
        link.serve(Kind.BYE, LONG_PATIENCE, this::onMessage);
    }

    @Override
    public void close() {
        floor.ifPresent(Floor::close);
        station.close();
    }

    private void onMessage(Kind kind, byte[] body) {
        switch (kind) {
            case FLOOR -> openFloor(new String(body, StandardCharsets.UTF_8));
            case IDLE_PAIRS -> addIdlePairs(Lanes.decode(body));
            case SIZE -> connect();
            case ROUND -> runRound(Lanes.decode(body));
            case BYE -> {}
            default -> throw new BenchException("message of the client: " + kind + " (unexpected)");
        }
    }

    private void openFloor(String file) {
        String problem = "";
        try {
            floor = Optional.of(Floor.open(Path.of(file), patience));
        } catch (IOException e) {
            problem = e.toString();
        }
        link.send(Kind.FLOOR, problem);
    }

    private void addIdlePairs(int... numbers) {
        link.send(Kind.IDLE_PAIRS, Lanes.encode(station.createIdlePairs(numbers.length)));
        station.connectIdlePairs(numbers);
        long resident = ResidentMemory.afterCollection().orElse(-1);
        link.send(Kind.RESIDENT, ByteBuffer.allocate(Long.BYTES).putLong(resident).array());
    }

    private void connect() {
        lanes.ifPresent(Lanes::close);
        lanes = Optional.of(Lanes.connect(station, plan.sizes().get(nextSize++), link, PATIENCE));
    }

    private void runRound(int... round) {
        int lane = round[0];
        int iterations = round[1];
        if (lane == FLOOR_LANE) {
            link.send(Kind.READY);
            floor.orElseThrow().pong(iterations);
            return;
        }
        Traffic traffic = lanes.orElseThrow().traffic(lane);
        traffic.prepare(round[2]);
        link.send(Kind.READY);
        traffic.serve(iterations);
        link.await(Kind.FINISHED, LONG_PATIENCE);
        traffic.verify(round[2], iterations);
        link.send(Kind.VERIFIED);
    }
}
