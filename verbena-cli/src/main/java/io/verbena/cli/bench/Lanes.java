// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.bench.ControlLink.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The lanes of one message size, connected; closing them closes their queue pairs. */
final class Lanes implements AutoCloseable {
    private final List<Lane> lanes = new ArrayList<>();
    private final List<Traffic> traffic = new ArrayList<>();

    private Lanes(Station station, int bytes) {
        for (int i = 0; i < station.laneCount(); i++) {
            lanes.add(Lane.open(station, i, bytes));
        }
    }

    /** {@return lanes whose queue pairs are connected on both sides; both sides call it} */
    static Lanes connect(Station station, int bytes, ControlLink link, Duration patience) {
        Lanes lanes = new Lanes(station, bytes);
        int[] own = lanes.lanes.stream().mapToInt(lane -> lane.pair().number()).toArray();
        link.send(Kind.PAIRS, encode(own));
        int[] others = decode(link.await(Kind.PAIRS, patience));
        if (others.length != own.length) {
            throw new BenchException(
                    "queue pairs of the peer: "
                            + others.length
                            + " (expected: "
                            + own.length
                            + ")");
        }
        for (int i = 0; i < others.length; i++) {
            Lane lane = lanes.lanes.get(i);
            station.connect(lane.pair(), others[i]);
            lanes.traffic.add(Traffic.of(lane));
        }
        link.send(Kind.CONNECTED);
        link.await(Kind.CONNECTED, patience);
        return lanes;
    }

    Traffic traffic(int lane) {
        return traffic.get(lane);
    }

    int pairNumber() {
        return lanes.getFirst().pair().number();
    }

    @Override
    public void close() {
        lanes.forEach(lane -> lane.pair().close());
    }

    static byte[] encode(int... numbers) {
        ByteBuffer out = ByteBuffer.allocate(numbers.length * Integer.BYTES);
        for (int number : numbers) {
            out.putInt(number);
        }
        return out.array();
    }

    static int[] decode(byte[] body) {
        int[] numbers = new int[body.length / Integer.BYTES];
        ByteBuffer.wrap(body).asIntBuffer().get(numbers);
        return numbers;
    }
}
