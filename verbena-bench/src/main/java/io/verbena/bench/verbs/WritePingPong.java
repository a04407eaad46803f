// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.verbs.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code write_lat}: each side writes into the other's memory and watches the last byte of its own,
 * which is a counter. Meanwhile it polls its completion queue: on a software device that makes
 * progress, and it frees the send queue.
 */
final class WritePingPong implements Exchanges {
    private static final int INTERVAL = 16;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final Completions completions;
    private final Outgoing outgoing;
    private final MemorySegment sendBuffer;
    private final MemorySegment receiveBuffer;
    private final long bytes;
    private final long last;
    private long turn;

    WritePingPong(SizedPair pair) {
        Station station = pair.station();
        this.completions = pair.completions();
        this.outgoing =
                new Outgoing(
                        pair,
                        SendOpcode.RDMA_WRITE,
                        Math.clamp(station.plan().txDepth() / 4, 1, INTERVAL));
        this.sendBuffer = station.outgoing().memory();
        this.receiveBuffer = station.incoming().memory();
        this.bytes = pair.bytes();
        this.last = bytes - 1;
    }

    @Override
    public void prepare(int round) {
        RoundPattern.fill(sendBuffer.asSlice(0, last), round);
        receiveBuffer.asSlice(0, last).fill((byte) 0);
        BYTE.setRelease(receiveBuffer, last, (byte) turn);
    }

    @Override
    public void verify(int round, int iterations) {
        RoundPattern.check(receiveBuffer, 0, last, round);
    }

    @Override
    public void exchange() {
        turn++;
        write();
        awaitTurn();
    }

    @Override
    public void answer() {
        turn++;
        awaitTurn();
        write();
    }

    private void write() {
        // The peer has answered the previous write, so its buffer is free again.
        sendBuffer.set(ValueLayout.JAVA_BYTE, last, (byte) turn);
        outgoing.post(false);
    }

    private void awaitTurn() {
        byte expected = (byte) turn;
        int spins = 0;
        long deadline = 0;
        while ((byte) BYTE.getAcquire(receiveBuffer, last) != expected) {
            completions.poll();
            if ((++spins & StallCheck.SPINS) == 0) {
                deadline = completions.idle(deadline);
            }
        }
    }
}
