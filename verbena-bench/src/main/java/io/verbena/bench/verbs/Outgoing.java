// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;

/**
 * The requests of a pair, one per slot, prepared once and posted in turn. One request per interval
 * is signaled; its completion says that all before it are done and frees their places in the queue.
 *
 * <p>One thread. Allocates nothing after construction.
 */
final class Outgoing {
    private final QueuePair queuePair;
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
     * @param pair where they go
     * @param opcode what they do
     * @param interval one request in this many is signaled
     */
    Outgoing(SizedPair pair, SendOpcode opcode, int interval) {
        this.queuePair = pair.queuePair();
        this.completions = pair.completions();
        this.interval = interval;
        this.untilSignal = interval;
        boolean read = opcode == SendOpcode.RDMA_READ;
        boolean inline = !read && pair.bytes() <= pair.station().inlineBytes();
        this.flags = inline ? SendWorkRequest.INLINE : 0;
        this.requests = new SendWorkRequest[pair.slots()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = prepare(pair, opcode, pair.offset(i));
        }
    }

    private SendWorkRequest prepare(SizedPair pair, SendOpcode opcode, long offset) {
        Station station = pair.station();
        StationAddress peer = station.peer();
        SendWorkRequest request =
                SendWorkRequest.allocate(station.arena(), 1).opcode(opcode).flags(flags);
        if (opcode == SendOpcode.RDMA_READ) {
            return request.element(station.incoming(), offset, pair.bytes())
                    .remote(peer.outgoingAddress() + offset, peer.outgoingRkey());
        }
        return request.element(station.outgoing(), offset, pair.bytes())
                .remote(peer.incomingAddress() + offset, peer.incomingRkey());
    }

    /** {@return how many messages were posted} */
    long posted() {
        return posted;
    }

    /** {@return the signaling interval: one request in this many is signaled} */
    int interval() {
        return interval;
    }

    /**
     * Posts the next message.
     *
     * @param signal whether to signal it even if the interval does not ask for it
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
        if (queuePair.postSend(request) == 0) {
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
        } while (queuePair.postSend(request) == 0);
    }
}
