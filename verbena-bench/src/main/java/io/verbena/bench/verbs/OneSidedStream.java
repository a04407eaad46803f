// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Measurement;
import io.verbena.verbs.SendOpcode;

/** {@code write_bw} and {@code read_bw}: the server's program does nothing. */
final class OneSidedStream implements Traffic {
    private final SizedPair pair;
    private final boolean reads;
    private final RequestStream stream;
    private boolean driving;
    private long moved;

    OneSidedStream(SizedPair pair) {
        TestPlan plan = pair.station().plan();
        this.pair = pair;
        this.reads = plan.test() == TestKind.READ_BW;
        SendOpcode opcode = reads ? SendOpcode.RDMA_READ : SendOpcode.RDMA_WRITE;
        this.stream = new RequestStream(pair, Outgoing.stream(pair, opcode));
    }

    @Override
    public void prepare(int round) {
        pair.prepare(round);
    }

    @Override
    public Measurement drive(int iterations) {
        driving = true;
        return stream.run(iterations);
    }

    @Override
    public void serve(int iterations) {
        // Only the device is needed.
    }

    @Override
    public void verify(int round, int iterations) {
        moved += iterations;
        if (driving == reads) {
            pair.check(round, moved, iterations);
        }
    }
}
