// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * {@code atomic_lat}: one atomic at a time increments a word on the server; the server's program
 * does nothing. The old value that comes back is checked each time, the sum at the end of each
 * round.
 */
final class AtomicLatency implements Exchanges {
    private static final long WORD = 0;

    private final SizedPair pair;
    private final Completions completions;
    private final MemorySegment result;
    private final MemorySegment counter;
    private final SendWorkRequest request;
    private final AtomicKind kind;
    private long count;

    /** The number of the last request of all rounds; 0 on the server. */
    private long posted;

    AtomicLatency(SizedPair pair) {
        Station station = pair.station();
        this.pair = pair;
        this.completions = pair.completions();
        this.result = station.outgoing().memory();
        this.counter = station.incoming().memory();
        this.kind = station.plan().atomic();
        this.request =
                SendWorkRequest.allocate(station.arena(), 1)
                        .flags(SendWorkRequest.SIGNALED)
                        .element(station.outgoing(), WORD, Long.BYTES)
                        .fetchAndAdd(
                                station.peer().incomingAddress(), station.peer().incomingRkey(), 1);
    }

    @Override
    public void prepare(int round) {
        counter.set(ValueLayout.JAVA_LONG, WORD, 0);
        count = 0;
    }

    @Override
    public void verify(int round, int iterations) {
        long found = counter.get(ValueLayout.JAVA_LONG, WORD);
        if (posted == 0 && found != iterations) {
            throw new ToolException("sum: " + found + " (expected: " + iterations + ")");
        }
    }

    @Override
    public void exchange() {
        if (kind == AtomicKind.CMP_AND_SWAP) {
            StationAddress peer = pair.station().peer();
            request.compareAndSwap(peer.incomingAddress(), peer.incomingRkey(), count, count + 1);
        }
        request.id(++posted);
        if (pair.queuePair().postSend(request) == 0) {
            throw new ToolException("the send queue is full (expected: empty)");
        }
        completions.awaitSent(posted);
        long old = result.get(ValueLayout.JAVA_LONG, WORD);
        if (old != count) {
            throw new ToolException("old value: " + old + " (expected: " + count + ")");
        }
        count++;
    }
}
