// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import io.verbena.verbs.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * {@code send_lat}: a message in each direction. Each side posts its receives ahead; a receive that
 * an answer has consumed is posted again while the next message is under way. One send in {@link
 * #INTERVAL} is signaled, which is enough to free the send queue. The last byte of a message is a
 * counter, so a repeated or lost message is noticed at once.
 */
final class SendPingPong implements Exchanges {
    private static final int INTERVAL = 16;

    private final Completions completions;
    private final Outgoing outgoing;
    private final Incoming incoming;
    private final MemorySegment sendBuffer;
    private final MemorySegment receiveBuffer;
    private final long last;
    private final int receives;
    private boolean prepared;
    private long turn;

    SendPingPong(SizedPair pair) {
        Station station = pair.station();
        this.completions = pair.completions();
        this.outgoing =
                new Outgoing(
                        pair,
                        SendOpcode.SEND,
                        Math.clamp(station.plan().txDepth() / 4, 1, INTERVAL));
        this.incoming = new Incoming(pair);
        this.sendBuffer = station.outgoing().memory();
        this.receiveBuffer = station.incoming().memory();
        this.last = pair.bytes() - 1L;
        this.receives = station.plan().rxDepth() - 1;
    }

    @Override
    public void prepare(int round) {
        if (!prepared) {
            incoming.post(receives);
            prepared = true;
        }
    }

    @Override
    public void verify(int round, int iterations) {
        if (completions.received() != turn) {
            throw new ToolException(
                    "messages received: " + completions.received() + " (expected: " + turn + ")");
        }
    }

    @Override
    public void exchange() {
        turn++;
        send();
        completions.awaitReceived(turn);
        checkLastByte();
    }

    @Override
    public void answer() {
        turn++;
        completions.awaitReceived(turn);
        checkLastByte();
        send();
    }

    private void send() {
        // The peer has answered the previous message, so its buffer is free again.
        sendBuffer.set(ValueLayout.JAVA_BYTE, last, (byte) turn);
        outgoing.post(false);
        incoming.post(1);
    }

    private void checkLastByte() {
        byte found = receiveBuffer.get(ValueLayout.JAVA_BYTE, last);
        if (found != (byte) turn) {
            throw new ToolException(
                    "last byte of message "
                            + turn
                            + ": "
                            + found
                            + " (expected: "
                            + (byte) turn
                            + ")");
        }
    }
}
