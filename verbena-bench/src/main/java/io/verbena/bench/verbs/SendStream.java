// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Measurement;
import io.verbena.verbs.SendOpcode;

/** {@code send_bw}: the server receives, counts, and posts each receive again. */
final class SendStream implements Traffic {
    private final SizedPair pair;
    private final Completions completions;
    private final Incoming incoming;
    private final RequestStream stream;
    private boolean prepared;
    private long expected;

    SendStream(SizedPair pair) {
        this.pair = pair;
        this.completions = pair.completions();
        this.incoming = new Incoming(pair);
        this.stream = new RequestStream(pair, Outgoing.stream(pair, SendOpcode.SEND));
    }

    @Override
    public void prepare(int round) {
        pair.prepare(round);
        if (!prepared) {
            incoming.post(pair.station().plan().rxDepth());
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
            pair.check(round, expected, iterations);
        }
    }
}
