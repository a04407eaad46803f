// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.ResidentMemory;
import io.verbena.bench.verbs.ControlLink.Kind;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The side that does what the client asks, until the client ends. */
final class TestServer implements AutoCloseable {
    /** Stands for the shared cache line where a round names its pair. */
    static final int FLOOR = -1;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A client may measure for a long time without sending anything. */
    private static final Duration LONG_PATIENCE = Duration.ofHours(1);

    private final TestPlan plan;
    private final ControlLink link;
    private final StallCheck patience;
    private final Station station;
    private Optional<Floor> floor = Optional.empty();
    private Optional<SizedPairs> pairs = Optional.empty();
    private int nextSize;

    /**
     * Takes the client's plan.
     *
     * @param expected the test named on the command line; the client must ask for the same
     */
    TestServer(TestKind expected, LocalPort local, ControlLink link) {
        this.link = link;
        this.patience = new StallCheck(link);
        this.plan = TestPlan.decode(link.await(Kind.PLAN, PATIENCE));
        if (plan.test() != expected) {
            throw new ToolException(
                    "test of the client: "
                            + plan.test().id()
                            + " (expected: "
                            + expected.id()
                            + ")");
        }
        this.station = Station.open(plan, local, patience);
        station.peer(StationAddress.decode(link.await(Kind.ADDRESS, PATIENCE)));
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
            case IDLE_PAIRS -> addIdlePairs(SizedPairs.decode(body));
            case SIZE -> connect();
            case ROUND -> runRound(SizedPairs.decode(body));
            case BYE -> {}
            default -> throw new ToolException("message of the client: " + kind + " (unexpected)");
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
        link.send(Kind.IDLE_PAIRS, SizedPairs.encode(station.createIdlePairs(numbers.length)));
        station.connectIdlePairs(numbers);
        long resident = ResidentMemory.afterCollection().orElse(-1);
        link.send(Kind.RESIDENT, ByteBuffer.allocate(Long.BYTES).putLong(resident).array());
    }

    private void connect() {
        pairs.ifPresent(SizedPairs::close);
        pairs =
                Optional.of(
                        SizedPairs.connect(station, plan.sizes().get(nextSize++), link, PATIENCE));
    }

    private void runRound(int... round) {
        int index = round[0];
        int iterations = round[1];
        if (index == FLOOR) {
            link.send(Kind.READY);
            floor.orElseThrow().pong(iterations);
            return;
        }
        Traffic traffic = pairs.orElseThrow().traffic(index);
        traffic.prepare(round[2]);
        link.send(Kind.READY);
        traffic.serve(iterations);
        link.await(Kind.FINISHED, LONG_PATIENCE);
        traffic.verify(round[2], iterations);
        link.send(Kind.VERIFIED);
    }
}
