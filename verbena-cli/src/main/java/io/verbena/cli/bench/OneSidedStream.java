// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.SendOpcode;

/** {@code write_bw} and {@code read_bw}: the server's program does nothing. */
final class OneSidedStream implements Traffic {
    private final Lane lane;
    private final boolean reads;
    private final Stream stream;
    private boolean driving;
    private long moved;

    OneSidedStream(Lane lane) {
        Plan plan = lane.station().plan();
        this.lane = lane;
        this.reads = plan.test() == TestKind.READ_BW;
        SendOpcode opcode = reads ? SendOpcode.RDMA_READ : SendOpcode.RDMA_WRITE;
        int interval = Stream.interval(plan.txDepth());
        this.stream = new Stream(lane, new Outgoing(lane, opcode, interval));
    }

    @Override
    public void prepare(int round) {
        SlotArea.prepare(lane, round);
    }

    @Override
    public Measurement drive(int iterations) {
        driving = true;
        return stream.run(iterations);
    }

    @Override
    public void serve(int iterations) {
        // Its device answers.
    }

    @Override
    public void verify(int round, int iterations) {
        moved += iterations;
        if (driving == reads) {
            SlotArea.check(lane, round, moved, iterations);
        }
    }
}
