// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.SendOpcode;

/** {@code send_bw}: the server receives, counts, and posts each receive again. */
final class SendStream implements Traffic {
    private final Lane lane;
    private final Completions completions;
    private final Incoming incoming;
    private final Stream stream;
    private boolean prepared;
    private long expected;

    SendStream(Lane lane) {
        this.lane = lane;
        this.completions = lane.completions();
        this.incoming = new Incoming(lane);
        int interval = Stream.interval(lane.station().plan().txDepth());
        this.stream = new Stream(lane, new Outgoing(lane, SendOpcode.SEND, interval));
    }

    @Override
    public void prepare(int round) {
        SlotArea.prepare(lane, round);
        if (!prepared) {
            incoming.post(lane.station().plan().rxDepth());
            prepared = true;
        }
    }

    @Override
    public Measurement drive(int iterations) {
        return stream.run(iterations);
    }

    @Override
    public void serve(int iterations) {
        expected += iterations;
        long reposted = completions.received();
        while (reposted < expected) {
            completions.awaitReceived(reposted + 1);
            long received = completions.received();
            incoming.post((int) (received - reposted));
            reposted = received;
        }
    }

    @Override
    public void verify(int round, int iterations) {
        if (expected > 0) {
            SlotArea.check(lane, round, expected, iterations);
        }
    }
}
