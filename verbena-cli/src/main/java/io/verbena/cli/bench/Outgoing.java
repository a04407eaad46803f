// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;

/**
 * The requests of a lane, one per slot, prepared once and posted in turn. Every so many requests
 * one is signaled; its completion says that all before it are done and frees their places in the
 * queue.
 *
 * <p>One thread. Allocates nothing after construction.
 */
final class Outgoing {
    private final QueuePair pair;
    private final Completions completions;
    private final SendWorkRequest[] requests;
    private final int flags;
    private final int interval;
    private int slot;
    private int untilSignal;
    private long posted;

    /**
     * Prepares the requests.
     *
     * @param lane where they go
     * @param opcode what they do
     * @param interval every how many requests one is signaled
     */
    Outgoing(Lane lane, SendOpcode opcode, int interval) {
        this.pair = lane.pair();
        this.completions = lane.completions();
        this.interval = interval;
        this.untilSignal = interval;
        boolean read = opcode == SendOpcode.RDMA_READ;
        boolean inline = !read && lane.bytes() <= lane.station().inlineBytes();
        this.flags = inline ? SendWorkRequest.INLINE : 0;
        this.requests = new SendWorkRequest[lane.slots()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = prepare(lane, opcode, lane.offset(i));
        }
    }

    private SendWorkRequest prepare(Lane lane, SendOpcode opcode, long offset) {
        Station station = lane.station();
        Peer peer = station.peer();
        SendWorkRequest request =
                SendWorkRequest.allocate(station.arena(), 1).opcode(opcode).flags(flags);
        if (opcode == SendOpcode.RDMA_READ) {
            return request.element(station.incoming(), offset, lane.bytes())
                    .remote(peer.outgoingAddress() + offset, peer.outgoingRkey());
        }
        return request.element(station.outgoing(), offset, lane.bytes())
                .remote(peer.incomingAddress() + offset, peer.incomingRkey());
    }

    /** {@return how many messages were posted} */
    long posted() {
        return posted;
    }

    /** {@return every how many requests one is signaled} */
    int interval() {
        return interval;
    }

    /**
     * Posts the next message.
     *
     * @param signal whether to signal it even if it is not its turn
     * @return whether it was signaled
     */
    boolean post(boolean signal) {
        SendWorkRequest request = requests[slot];
        boolean signaled = --untilSignal == 0 || signal;
        posted++;
        if (signaled) {
            untilSignal = interval;
            request.id(posted).flags(flags | SendWorkRequest.SIGNALED);
        }
        if (pair.postSend(request) == 0) {
            postWhenThereIsRoom(request);
        }
        if (signaled) {
            request.flags(flags);
        }
        slot = slot + 1 == requests.length ? 0 : slot + 1;
        return signaled;
    }

    private void postWhenThereIsRoom(SendWorkRequest request) {
        long deadline = 0;
        do {
            if (completions.poll() == 0) {
                deadline = completions.idle(deadline);
            }
        } while (pair.postSend(request) == 0);
    }
}
