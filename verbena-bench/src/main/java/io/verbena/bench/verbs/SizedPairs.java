// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.verbs.ControlLink.Kind;
import io.verbena.tools.ToolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The pairs of one message size, connected. Closing them closes their queue pairs. */
final class SizedPairs implements AutoCloseable {
    private final List<SizedPair> pairs = new ArrayList<>();
    private final List<Traffic> traffic = new ArrayList<>();

    private SizedPairs(Station station, int bytes) {
        for (int i = 0; i < station.pairCount(); i++) {
            pairs.add(SizedPair.open(station, i, bytes));
        }
    }

    /** {@return pairs whose queue pairs are connected on both sides; both sides call it} */
    static SizedPairs connect(Station station, int bytes, ControlLink link, Duration patience) {
        SizedPairs connected = new SizedPairs(station, bytes);
        int[] own = connected.pairs.stream().mapToInt(pair -> pair.queuePair().number()).toArray();
        link.send(Kind.PAIRS, encode(own));
        int[] others = decode(link.await(Kind.PAIRS, patience));
        if (others.length != own.length) {
            throw new ToolException(
                    "queue pairs of the peer: "
                            + others.length
                            + " (expected: "
                            + own.length
                            + ")");
        }
        for (int i = 0; i < others.length; i++) {
            SizedPair pair = connected.pairs.get(i);
            station.connect(pair.queuePair(), others[i]);
            connected.traffic.add(Traffic.of(pair));
        }
        link.send(Kind.CONNECTED);
        link.await(Kind.CONNECTED, patience);
        return connected;
    }

    Traffic traffic(int index) {
        return traffic.get(index);
    }

    @Override
    public void close() {
        pairs.forEach(pair -> pair.queuePair().close());
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
