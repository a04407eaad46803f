// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Makes queue pairs, each in a slot of a completion group of one of the dispatchers, and keeps a
 * few spare ones. Any thread.
 */
final class QueuePairs {
    /**
     * Messages up to this length are sent inline if the device allows it, which frees their memory
     * at once.
     */
    private static final int INLINE_BYTES = 256;

    /** Less than this is not worth it. */
    private static final int LEAST_INLINE_BYTES = 32;

    /** Each element takes memory in every place of the send queue, even of idle connections. */
    private static final int USUAL_ELEMENTS = 16;

    private static final int FIRST_GROUP = 16;
    private static final int LARGEST_GROUP = 256;

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final Dispatchers dispatchers;
    private final QueueSizes sizes;
    private final int maxElements;
    private final int maxCompletions;
    private final int completionVectors;
    private final int pollOnce;
    private final int mostParked;
    private final ReentrantLock growing = new ReentrantLock();
    private final AtomicInteger nextVector = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private volatile int inlineBytes;
    private volatile boolean isClosed;

    QueuePairs(ProtectionDomain domain, Dispatchers dispatchers, TransportFlags flags) {
        this.context = domain.context();
        this.domain = domain;
        this.dispatchers = dispatchers;
        DeviceAttributes device = context.queryDevice();
        int elements = flags.integer(TransportFlag.RDMA_MAX_SGE);
        this.maxElements =
                Math.min(elements == 0 ? USUAL_ELEMENTS : elements, device.maxElements());
        this.maxCompletions = device.maxCompletions();
        this.completionVectors = Math.max(1, device.completionVectors());
        this.inlineBytes = Math.min(INLINE_BYTES, device.maxInlineBytes());
        this.pollOnce = flags.integer(TransportFlag.RDMA_CQE_POLL_ONCE);
        int send = flags.integer(TransportFlag.RDMA_SQ_SIZE);
        int receive = flags.integer(TransportFlag.RDMA_RQ_SIZE);
        int prepared = flags.integer(TransportFlag.RDMA_PREPARED_QP_SIZE);
        boolean isPrepared = send <= prepared && receive <= prepared;
        this.sizes =
                isPrepared ? new QueueSizes(prepared, prepared) : new QueueSizes(send, receive);
        this.mostParked = isPrepared ? flags.integer(TransportFlag.RDMA_PREPARED_QP_CNT) : 0;
    }

    /** Makes queue pairs ahead of their first use, half of them for each side. */
    void prepare() {
        List<QueuePairLease> leases = new ArrayList<>(mostParked);
        try {
            for (int i = 0; i < mostParked; i++) {
                leases.add(claim(i % 2 == 0 ? Side.CLIENT : Side.SERVER));
            }
        } finally {
            // a slot that stays claimed would keep the domain from ending
            leases.forEach(this::park);
        }
    }

    private void park(QueuePairLease lease) {
        lease.slot().park(lease.queuePair());
        parked.incrementAndGet();
        lease.slot().group().unclaim(lease.slot());
    }

    /** {@return a queue pair in state RESET, and the slot of its completions} */
    QueuePairLease claim(Side side) {
        Dispatcher dispatcher = pickDispatcher(side);
        QueuePairSlot slot = claimSlot(dispatcher);
        QueuePair pair = null;
        try {
            slot.closeLeft();
            Optional<QueuePair> waiting = slot.takeParked();
            if (waiting.isPresent()) {
                pair = waiting.get();
                parked.decrementAndGet();
            } else {
                pair = create(slot, domain::createQueuePair);
            }
            return new QueuePairLease(dispatcher, slot, pair, Optional.empty());
        } catch (Throwable e) {
            giveBack(slot, pair);
            throw e;
        }
    }

    /** {@return a queue pair that a connection identifier makes, and whose state it changes} */
    QueuePairLease claim(Side side, ConnectionIdentifier identifier) {
        Dispatcher dispatcher = pickDispatcher(side);
        QueuePairSlot slot = claimSlot(dispatcher);
        QueuePair pair = null;
        try {
            slot.closeLeft();
            slot.takeParked().ifPresent(this::discard);
            pair = create(slot, options -> identifier.createQueuePair(domain, options));
            return new QueuePairLease(dispatcher, slot, pair, Optional.of(identifier));
        } catch (Throwable e) {
            giveBack(slot, pair);
            throw e;
        }
    }

    /** Takes back a queue pair that no endpoint began to use. An identifier stays its owner's. */
    void giveBack(QueuePairLease lease) {
        giveBack(lease.slot(), lease.queuePair());
    }

    /** The slot in any case: one that stays claimed would keep the domain from ending. */
    private static void giveBack(QueuePairSlot slot, QueuePair pair) {
        try {
            if (pair != null) {
                slot.close(pair);
            }
        } finally {
            slot.group().unclaim(slot);
        }
    }

    /**
     * Takes a queue pair out of use: when this returns the device no longer touches what was
     * posted. The queue pair waits for its next use, or is destroyed. Dispatcher.
     *
     * @throws OutOfMemoryError if neither was possible for want of memory; this can be called again
     */
    void retire(QueuePairLease lease) {
        QueuePair pair = lease.queuePair();
        QueuePairSlot slot = lease.slot();
        boolean isReusable = lease.identifier().isEmpty() && !slot.group().isBroken();
        if (isReusable && tryReset(pair) && tryReservePark()) {
            slot.park(pair);
            return;
        }
        try {
            if (lease.identifier().isPresent()) {
                lease.identifier().get().close();
            } else {
                pair.close();
            }
        } catch (OutOfMemoryError e) { // the caller tries again
            throw e;
        } catch (Throwable e) { // a provider may throw anything
            Faults.warn(QueuePairs.class, "it cannot be destroyed", pair, e);
        }
    }

    private static boolean tryReset(QueuePair pair) {
        try {
            pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
            return true;
        } catch (Throwable e) { // a provider may throw anything
            Faults.warn(QueuePairs.class, "it cannot be used again", pair, e);
            return false;
        }
    }

    private boolean tryReservePark() {
        if (isClosed || parked.incrementAndGet() > mostParked) {
            parked.decrementAndGet();
            return false;
        }
        return true;
    }

    private void discard(QueuePair pair) {
        parked.decrementAndGet();
        pair.close();
    }

    private Dispatcher pickDispatcher(Side side) {
        if (isClosed) {
            throw new IllegalStateException("the RDMA domain is closed");
        }
        return dispatchers.pick(side);
    }

    /** No verb reports how much a device can inline, so find out by trying less. */
    private QueuePair create(QueuePairSlot slot, Function<QueuePairOptions, QueuePair> verb) {
        for (int inline = inlineBytes; ; inline = lessThan(inline)) {
            try {
                QueuePair pair = verb.apply(options(slot, inline));
                inlineBytes = inline;
                return pair;
            } catch (VerbsException e) {
                if (inline == 0 || e.errno() != Errno.EINVAL) {
                    throw e;
                }
            }
        }
    }

    private static int lessThan(int inline) {
        return inline >= 2 * LEAST_INLINE_BYTES ? inline / 2 : 0;
    }

    private QueuePairOptions options(QueuePairSlot slot, int inline) {
        return QueuePairOptions.of(slot.group().sends())
                .withReceiveQueue(slot.group().receives())
                .withRequests(sizes.send(), sizes.receive())
                .withElements(maxElements, 1)
                .withInline(inline);
    }

    private QueuePairSlot claimSlot(Dispatcher dispatcher) {
        Optional<QueuePairSlot> slot = tryClaimSlot(dispatcher);
        if (slot.isPresent()) {
            return slot.get();
        }
        growing.lock();
        try {
            return tryClaimSlot(dispatcher).orElseGet(() -> grow(dispatcher));
        } finally {
            growing.unlock();
        }
    }

    private static Optional<QueuePairSlot> tryClaimSlot(Dispatcher dispatcher) {
        for (CompletionGroup group : dispatcher.groups()) {
            Optional<QueuePairSlot> slot = group.tryClaim();
            if (slot.isPresent()) {
                return slot;
            }
        }
        return Optional.empty();
    }

    private QueuePairSlot grow(Dispatcher dispatcher) {
        int doublings = Math.min(dispatcher.groups().length, 8);
        int wanted = Math.min(FIRST_GROUP << doublings, LARGEST_GROUP);
        int slots = Math.min(wanted, maxCompletions / Math.max(sizes.send(), sizes.receive()));
        int vector = Math.floorMod(nextVector.getAndIncrement(), completionVectors);
        CompletionGroup group =
                new CompletionGroup(
                        context,
                        dispatcher.poller().channel(),
                        vector,
                        Math.max(1, slots),
                        sizes,
                        pollOnce);
        try {
            QueuePairSlot slot = group.tryClaim().orElseThrow();
            dispatcher.add(group);
            return slot;
        } catch (Throwable e) {
            group.close();
            throw e;
        }
    }

    /** Refuses to hand out queue pairs from now on. */
    void shut() {
        isClosed = true;
    }

    /** Closes the parked queue pairs and the groups; the dispatchers have ended. */
    void close() {
        for (Dispatcher dispatcher : dispatchers.all()) {
            for (CompletionGroup group : dispatcher.groups()) {
                group.freeSlots().forEach(this::empty);
                group.close();
            }
        }
    }

    private void empty(QueuePairSlot slot) {
        slot.closeLeft();
        slot.takeParked().ifPresent(this::discard);
    }
}
