// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.verbs.SendOpcode;

/** {@code read_lat}: one read at a time; the server's program does nothing. */
final class ReadLatency implements Exchanges {
    private final SizedPair pair;
    private final Completions completions;
    private final Outgoing outgoing;

    ReadLatency(SizedPair pair) {
        this.pair = pair;
        this.completions = pair.completions();
        this.outgoing = new Outgoing(pair, SendOpcode.RDMA_READ, 1);
    }

    @Override
    public void prepare(int round) {
        pair.prepare(round);
    }

    @Override
    public void verify(int round, int iterations) {
        if (outgoing.posted() > 0) {
            pair.check(round, outgoing.posted(), iterations);
        }
    }

    @Override
    public void exchange() {
        outgoing.post(true);
        completions.awaitSent(outgoing.posted());
    }
}
