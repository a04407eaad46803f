// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;

/**
 * The requests of a pair, one per slot, prepared once and posted in turn. One request per interval
 * is signaled; its completion says that all before it are done and frees their places in the queue.
 *
 * <p>Requests may be posted in lists; those not posted yet wait for {@link #flush}.
 *
 * <p>One thread. Allocates nothing after construction.
 */
final class Outgoing {
    private final QueuePair queuePair;
    private final Completions completions;
    private final SendWorkRequest[] requests;
    private final int flags;
    private final int interval;
    private final int list;
    private int slot;
    private int untilSignal;
    private long posted;
    private int first;
    private int chained;

    /**
     * Prepares requests that are posted one by one.
     *
     * @param pair where they go
     * @param opcode what they do
     * @param interval one request in this many is signaled
     */
    Outgoing(SizedPair pair, SendOpcode opcode, int interval) {
        this(pair, opcode, interval, 1);
    }

    private Outgoing(SizedPair pair, SendOpcode opcode, int interval, int list) {
        this.queuePair = pair.queuePair();
        this.completions = pair.completions();
        this.interval = interval;
        this.untilSignal = interval;
        boolean read = opcode == SendOpcode.RDMA_READ;
        boolean inline = !read && pair.bytes() <= pair.station().inlineBytes();
        this.flags = inline ? SendWorkRequest.INLINE : 0;
        this.requests = new SendWorkRequest[pair.slots()];
        this.list = Math.min(list, requests.length);
        for (int i = 0; i < requests.length; i++) {
            requests[i] = prepare(pair, opcode, pair.offset(i));
        }
    }

    /** {@return the requests of a bandwidth test, posted in the lists of its plan} */
    static Outgoing stream(SizedPair pair, SendOpcode opcode) {
        TestPlan plan = pair.station().plan();
        return new Outgoing(pair, opcode, interval(plan.txDepth()), plan.postList());
    }

    /**
     * {@return the signaling interval of a bandwidth test: one request in this many is signaled}
     */
    static int interval(int depth) {
        return Math.max(1, depth / 4);
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
     * Posts the next message, or puts it in the list to be posted.
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
        } else {
            request.flags(flags);
        }
        if (chained > 0) {
            requests[slot == 0 ? requests.length - 1 : slot - 1].next(request);
        } else {
            first = slot;
        }
        request.next(null);
        chained++;
        slot = slot + 1 == requests.length ? 0 : slot + 1;
        if (chained == list) {
            flush();
        }
        return signaled;
    }

    /** Posts what is in the list. */
    void flush() {
        if (chained == 0) {
            return;
        }
        int taken = queuePair.postSend(requests[first]);
        long deadline = 0;
        while (taken < chained) {
            if (completions.poll() == 0) {
                deadline = completions.idle(deadline);
            }
            taken += queuePair.postSend(requests[(first + taken) % requests.length]);
        }
        chained = 0;
    }
}
