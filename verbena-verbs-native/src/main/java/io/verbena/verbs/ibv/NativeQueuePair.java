// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.QueuePairTransitions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A queue pair of a system device; {@code ibv_qp}.
 *
 * <p>{@code reached} is the state after the last change, as a code. Posts check it, because not
 * every driver does: soft-RoCE puts a send into the ring of a queue pair that is not ready and
 * reports the failure afterwards. A failure that the device detected itself does not show here and
 * need not, because posts are allowed in ERROR. {@code control} serializes changes.
 */
final class NativeQueuePair implements QueuePair {
    private static final int EVERYTHING = everything();

    private final NativeProtectionDomain domain;
    private final long address;
    private final int number;
    private final QueuePairOptions options;
    private final NativeCompletionQueue sends;
    private final NativeCompletionQueue receives;
    private final Gate gate = new Gate(this);
    private final ReentrantLock control = new ReentrantLock();
    private final Arena arena = Arena.ofShared();
    private final SendRoom room;
    private final SendPosting sendPosting;
    private final ReceivePosting receivePosting;
    private volatile int reached = QueuePairState.RESET.code();
    private int port = 1;

    private NativeQueuePair(
            NativeProtectionDomain domain,
            long address,
            QueuePairOptions options,
            NativeCompletionQueue sends,
            NativeCompletionQueue receives) {
        this.domain = domain;
        this.address = address;
        this.number = IbvLayout.QP_NUM.getInt(IbvLayout.QP.at(address));
        this.options = options;
        this.sends = sends;
        this.receives = receives;
        IbvPointers pointers = domain.context().pointers();
        room = new SendRoom(number, options.maxSendRequests(), options.signalAll());
        sendPosting = new SendPosting(pointers, address, word(), room, options);
        receivePosting = new ReceivePosting(pointers, address, word(), options);
    }

    private MemorySegment word() {
        return arena.allocate(Long.BYTES, Long.BYTES);
    }

    /** Called inside the domain's gate. */
    static NativeQueuePair create(
            NativeProtectionDomain domain,
            QueuePairOptions options,
            NativeCompletionQueue sends,
            NativeCompletionQueue receives) {
        sends.use();
        try {
            receives.use();
        } catch (Throwable e) { // even for want of memory
            sends.release();
            throw e;
        }
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment init = call.allocate(IbvLayout.QP_INIT_ATTR);
            QueuePairLayout.putInit(init, sends.address(), receives.address(), options);
            long made = Ibverbs.ibv_create_qp(call, domain.address(), init.address());
            if (made == 0) {
                sends.release();
                receives.release();
                throw call.failure("ibv_create_qp", options.toString());
            }
            QueuePairOptions granted = QueuePairLayout.granted(init, options);
            NativeQueuePair pair = new NativeQueuePair(domain, made, granted, sends, receives);
            domain.context().asyncEvents().add(made, pair);
            sends.count(pair.room);
            return pair;
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public QueuePairOptions options() {
        return options;
    }

    @Override
    public QueuePairState state() {
        gate.enter();
        try (NativeCall call = NativeCall.begin()) {
            return QueuePairLayout.state(query(call, Attribute.STATE.bit()));
        } finally {
            gate.leave();
        }
    }

    @Override
    public QueuePairAttributes query() {
        gate.enter();
        try (NativeCall call = NativeCall.begin()) {
            return QueuePairLayout.read(query(call, EVERYTHING));
        } finally {
            gate.leave();
        }
    }

    private MemorySegment query(NativeCall call, int mask) {
        MemorySegment memory = call.allocate(IbvLayout.QP_ATTR);
        MemorySegment init = call.allocate(IbvLayout.QP_INIT_ATTR);
        int result = Ibverbs.ibv_query_qp(call, address, memory.address(), mask, init.address());
        NativeCall.check("ibv_query_qp", result, toString());
        return memory;
    }

    private static int everything() {
        int mask = 0;
        for (Attribute attribute : Attribute.values()) {
            mask |= attribute.bit();
        }
        return mask;
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        control.lock();
        try {
            gate.enter();
            try (NativeCall call = NativeCall.begin()) {
                modify(call, attributes);
            } finally {
                gate.leave();
            }
        } finally {
            control.unlock();
        }
    }

    private void modify(NativeCall call, QueuePairAttributes attributes) {
        QueuePairState from = QueuePairLayout.state(query(call, Attribute.STATE.bit()));
        QueuePairState target = QueuePairTransitions.check(from, attributes);
        if (attributes.given().contains(Attribute.PORT)) {
            domain.context().limits().checkPort("ibv_modify_qp", attributes.port());
            port = attributes.port();
        }
        if (from == QueuePairState.INIT && target == QueuePairState.READY_TO_RECEIVE) {
            domain.context().checkActive(call, port);
        }
        MemorySegment memory = call.allocate(IbvLayout.QP_ATTR);
        QueuePairLayout.put(memory, attributes, port);
        if (target == QueuePairState.RESET) {
            // First: a post in between would be left in the ring for the next life.
            reached = target.code();
        }
        boolean isLeavingDrain = from == QueuePairState.SEND_QUEUE_DRAINED && target != from;
        String advice =
                isLeavingDrain ? " (not drained yet? wait for the event SEND_QUEUE_DRAINED)" : "";
        change(call, memory, attributes.mask(), from + " -> " + target + advice);
        reach(target);
    }

    private void reach(QueuePairState target) {
        if (target == QueuePairState.RESET) {
            room.reset();
        }
        // Also publishes the room: a post reads this field first.
        reached = target.code();
    }

    /**
     * Changes it as the connection manager specifies.
     *
     * @param memory an {@code ibv_qp_attr} with at least its state set
     * @param mask what else is set
     */
    void modify(NativeCall call, MemorySegment memory, int mask) {
        control.lock();
        try {
            gate.enter();
            try {
                QueuePairState target = QueuePairLayout.state(memory);
                change(call, memory, mask, "to " + target);
                reach(target);
            } finally {
                gate.leave();
            }
        } finally {
            control.unlock();
        }
    }

    private void change(NativeCall call, MemorySegment memory, int mask, String what) {
        int result = Ibverbs.ibv_modify_qp(call, address, memory.address(), mask);
        NativeCall.check("ibv_modify_qp", result, this + ", " + what + ", refused by the driver");
    }

    @Override
    public int postSend(SendWorkRequest first) {
        gate.enter();
        try {
            if (reached < QueuePairState.READY_TO_SEND.code()) {
                throw refused("ibv_post_send", "READY_TO_SEND or later");
            }
            return sendPosting.post(first);
        } finally {
            gate.leave();
        }
    }

    @Override
    public int postReceive(ReceiveWorkRequest first) {
        gate.enter();
        try {
            if (reached == QueuePairState.RESET.code()) {
                throw refused("ibv_post_recv", "INIT or later");
            }
            return receivePosting.post(first);
        } finally {
            gate.leave();
        }
    }

    private VerbsException refused(String verb, String expected) {
        String state = "state: " + QueuePairState.of(reached) + " (expected: " + expected + ")";
        return new VerbsException(verb, Errno.EINVAL, state);
    }

    @Override
    public void close() {
        gate.close(this::free);
    }

    private void free() {
        try (NativeCall call = NativeCall.begin()) {
            int result = Ibverbs.ibv_destroy_qp(call, address);
            NativeCall.check("ibv_destroy_qp", result, toString());
        } finally {
            domain.context().asyncEvents().remove(address, this);
            sends.discount(room);
            sends.release();
            receives.release();
            arena.close();
            // Last: a parent that closes in the meantime still finds it and waits.
            domain.forget(this);
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "queue pair 0x%06x", number);
    }
}
