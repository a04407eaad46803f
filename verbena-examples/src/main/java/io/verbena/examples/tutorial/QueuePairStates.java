// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples.tutorial;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.io.PrintStream;

/** Chapter 2: the states of a queue pair, step by step, and a SEND that nobody receives. */
public final class QueuePairStates {
    private static final int SIZE = 64;

    private QueuePairStates() {}

    /**
     * Runs on the device that is chosen by default.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        run(System.out);
    }

    static void run(PrintStream out) {
        try (TwoPairs pairs = new TwoPairs()) {
            QueuePair left = pairs.left();
            QueuePair right = pairs.right();
            out.println("left: " + left.state());
            left.modify(toInit());
            out.println("left: " + left.state());
            left.modify(toReadyToReceive(pairs.address(right)));
            out.println("left: " + left.state());
            left.modify(toReadyToSend());
            out.println("left: " + left.state());
            right.modify(toInit());
            right.modify(toReadyToReceive(pairs.address(left)));
            right.modify(toReadyToSend());

            MemoryRegion source = pairs.domain().allocate(SIZE);
            MemoryRegion target = pairs.domain().allocate(SIZE, AccessFlag.LOCAL_WRITE);
            ReceiveWorkRequest receive =
                    ReceiveWorkRequest.allocate(pairs.arena(), 1).id(1).element(target, 0, SIZE);
            SendWorkRequest send =
                    SendWorkRequest.allocate(pairs.arena(), 1)
                            .opcode(SendOpcode.SEND)
                            .element(source, 0, SIZE);

            // The receive comes first: it says where the message goes.
            source.memory().setString(0, "hello");
            right.postReceive(receive);
            left.postSend(send.id(2));
            print(out, pairs.await());
            print(out, pairs.await());
            out.println("received: " + target.memory().getString(0));

            // The same again without a receive.
            left.postSend(send.id(3));
            print(out, pairs.await());
            out.println("left: " + left.state());
            left.postSend(send.id(4));
            print(out, pairs.await());
        }
    }

    /** Which port to use, and what the peer may do: nothing, since it only sends. */
    private static QueuePairAttributes toInit() {
        return QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(AccessFlag.LOCAL_WRITE);
    }

    /** Who the peer is. From now on messages arrive. */
    private static QueuePairAttributes toReadyToReceive(QueuePairAddress peer) {
        return QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                .path(peer.gid(), peer.lid(), 0)
                .pathMtu(PathMtu.MTU_1024)
                .destination(peer.number())
                .receivePacketSequenceNumber(peer.packetSequenceNumber())
                .maxDestinationReadAtomic(1)
                .minRnrTimer(12);
    }

    /** How patient to be: here a receiver that is not ready is an error at once. */
    private static QueuePairAttributes toReadyToSend() {
        return QueuePairAttributes.to(QueuePairState.READY_TO_SEND)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(0)
                .sendPacketSequenceNumber(0)
                .maxReadAtomic(1);
    }

    private static void print(PrintStream out, WorkCompletion completion) {
        out.println("request " + completion.id() + ": " + completion.status());
    }
}
