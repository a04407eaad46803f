// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * {@code atomic_lat}: one atomic at a time counts a word of the server up; the server's program
 * does nothing. The old value that comes back is checked each time, the sum at the end of each
 * round.
 */
final class AtomicLatency implements Traffic {
    private static final long WORD = 0;

    private final Lane lane;
    private final Completions completions;
    private final MemorySegment result;
    private final MemorySegment counter;
    private final SendWorkRequest request;
    private final AtomicKind kind;
    private long count;

    /** The number of the last request of all rounds. */
    private long posted;

    private boolean driving;

    AtomicLatency(Lane lane) {
        Station station = lane.station();
        this.lane = lane;
        this.completions = lane.completions();
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
    public Measurement drive(int iterations) {
        driving = true;
        long[] stamps = new long[iterations + 1];
        stamps[0] = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            countUp();
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
        long found = counter.get(ValueLayout.JAVA_LONG, WORD);
        if (!driving && found != iterations) {
            throw new BenchException("sum: " + found + " (expected: " + iterations + ")");
        }
    }

    private void countUp() {
        if (kind == AtomicKind.CMP_AND_SWAP) {
            Peer peer = lane.station().peer();
            request.compareAndSwap(peer.incomingAddress(), peer.incomingRkey(), count, count + 1);
        }
        request.id(++posted);
        if (lane.pair().postSend(request) == 0) {
            throw new BenchException("the send queue is full (expected: empty)");
        }
        completions.awaitSent(posted);
        long old = result.get(ValueLayout.JAVA_LONG, WORD);
        if (old != count) {
            throw new BenchException("old value: " + old + " (expected: " + count + ")");
        }
        count++;
    }
}
