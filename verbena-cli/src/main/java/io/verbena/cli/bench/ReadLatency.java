// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.SendOpcode;

/** {@code read_lat}: one read at a time; the server's program does nothing. */
final class ReadLatency implements Traffic {
    private final Lane lane;
    private final Completions completions;
    private final Outgoing outgoing;

    ReadLatency(Lane lane) {
        this.lane = lane;
        this.completions = lane.completions();
        this.outgoing = new Outgoing(lane, SendOpcode.RDMA_READ, 1);
    }

    @Override
    public void prepare(int round) {
        Pattern.fill(lane.station().outgoing().memory().asSlice(0, lane.bytes()), round);
        lane.station().incoming().memory().asSlice(0, lane.bytes()).fill((byte) 0);
    }

    @Override
    public Measurement drive(int iterations) {
        long[] stamps = new long[iterations + 1];
        stamps[0] = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            read();
            stamps[i + 1] = System.nanoTime();
        }
        return Measurement.ofStamps(stamps);
    }

    @Override
    public void serve(int iterations) {
        // Its device answers.
    }

    @Override
    public void verify(int round, int iterations) {
        if (outgoing.posted() > 0) {
            Pattern.check(lane.station().incoming().memory(), 0, lane.bytes(), round);
        }
    }

    private void read() {
        outgoing.post(true);
        completions.awaitSent(outgoing.posted());
    }
}
