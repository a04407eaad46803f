// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.spi.IdentifierState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * An {@code rdma_cm_id}. Its lock keeps it alive during a call and serializes calls; a caller may
 * hold it for several steps, see {@link #lock}. Calls under it take a short, bounded time in the
 * kernel; none waits for an event.
 */
final class CmIdentifier implements AutoCloseable {
    /** 0.64 ms. The kernel gives 0 here, which is 655 ms and stalls every late receive. */
    private static final int MIN_RNR_TIMER = 12;

    /** Some kernels have set bits of their own above the last one that libibverbs accepts. */
    private static final int KNOWN_ATTRIBUTES = (1 << 21) - 1;

    private final long address;
    private final Consumer<CmIdentifier> onDestroyed;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean isDestroyed;

    /**
     * An identifier that librdmacm has created.
     *
     * @param address the address of the {@code rdma_cm_id}
     * @param onDestroyed called when it is gone
     */
    CmIdentifier(long address, Consumer<CmIdentifier> onDestroyed) {
        this.address = address;
        this.onDestroyed = onDestroyed;
    }

    /** A verb of librdmacm that returns 0, or -1 with {@code errno}. */
    private interface Verb {
        int call(NativeCall call, long id);
    }

    /**
     * {@return the lock; under it the locks of the identifier's state and the queue pair are taken}
     */
    ReentrantLock lock() {
        return lock;
    }

    /** Sets the key that comes with its events, for an identifier that librdmacm has created. */
    void key(long key) {
        RdmacmLayout.CM_ID_CONTEXT.set(RdmacmLayout.CM_ID.at(address), key);
    }

    CmPath path() {
        lock.lock();
        try {
            checkAlive();
            return CmPath.of(address);
        } finally {
            lock.unlock();
        }
    }

    void bind(InetSocketAddress local) {
        call(
                "rdma_bind_addr",
                "local: " + local + " (expected: an address of an RDMA device that is not in use)",
                (call, id) ->
                        Rdmacm.rdma_bind_addr(
                                call, id, SocketAddressLayout.write(call, local).address()));
    }

    /**
     * Takes requests, as many at a time as the kernel has room for. The kernel drops the rest
     * without an answer, and the peer retries after six seconds. So the event thread enforces the
     * backlog, and answers what it refuses.
     */
    void listen() {
        call(
                "rdma_listen",
                "is another listener on its port?",
                (call, id) -> Rdmacm.rdma_listen(call, id, 0));
    }

    void resolveAddress(InetSocketAddress destination, Duration timeout) {
        call(
                "rdma_resolve_addr",
                "destination: " + destination + " (expected: an address that a device reaches)",
                (call, id) ->
                        Rdmacm.rdma_resolve_addr(
                                call,
                                id,
                                0,
                                SocketAddressLayout.write(call, destination).address(),
                                milliseconds(timeout)));
    }

    void resolveRoute(Duration timeout) {
        call(
                "rdma_resolve_route",
                "timeout: " + timeout,
                (call, id) -> Rdmacm.rdma_resolve_route(call, id, milliseconds(timeout)));
    }

    void connect(ConnectionParameters parameters, int queuePairNumber) {
        call(
                "rdma_connect",
                "parameters: " + parameters,
                (call, id) ->
                        Rdmacm.rdma_connect(
                                call, id, write(call, parameters, queuePairNumber).address()));
    }

    void accept(ConnectionParameters parameters, int queuePairNumber) {
        call(
                "rdma_accept",
                "parameters: " + parameters,
                (call, id) ->
                        Rdmacm.rdma_accept(
                                call, id, write(call, parameters, queuePairNumber).address()));
    }

    /** Active: tells the peer that the queue pair is ready. */
    void establish() {
        call("rdma_establish", "the peer may be gone", Rdmacm::rdma_establish);
    }

    void reject(byte[] privateData) {
        call(
                "rdma_reject",
                "the peer may be gone",
                (call, id) ->
                        Rdmacm.rdma_reject(
                                call,
                                id,
                                write(call, privateData).address(),
                                (byte) privateData.length));
    }

    /**
     * Asks the peer to disconnect, or answers its request to disconnect; fails if neither is due.
     */
    void disconnect() {
        call("rdma_disconnect", "not connected", Rdmacm::rdma_disconnect);
    }

    /** Moves a queue pair to INIT with what is known so far. */
    void initialize(NativeQueuePair pair) {
        move(pair, QueuePairState.INIT, ConnectionParameters.ZERO);
    }

    /**
     * Moves a queue pair from INIT to READY_TO_SEND, once the peer's offer is known.
     *
     * @param pair the identifier's queue pair
     * @param limits what this side has offered; otherwise only the peer's values would count
     */
    void bringUp(NativeQueuePair pair, ConnectionParameters limits) {
        // Only now does the kernel know what the peer may do; INIT sets it.
        move(pair, QueuePairState.INIT, limits);
        move(pair, QueuePairState.READY_TO_RECEIVE, limits);
        move(pair, QueuePairState.READY_TO_SEND, limits);
    }

    private void move(NativeQueuePair pair, QueuePairState state, ConnectionParameters limits) {
        lock.lock();
        try (NativeCall call = NativeCall.begin()) {
            checkAlive();
            MemorySegment attributes = call.allocate(IbvLayout.QP_ATTR);
            MemorySegment mask = call.allocateWord();
            IbvLayout.QP_ATTR_STATE.set(attributes, state.code());
            if (Rdmacm.rdma_init_qp_attr(call, address, attributes.address(), mask.address())
                    != 0) {
                throw call.failure("rdma_init_qp_attr", "state: " + state);
            }
            limit(IbvLayout.QP_ATTR_MAX_DEST_RD_ATOMIC, attributes, limits.responderResources());
            limit(IbvLayout.QP_ATTR_MAX_RD_ATOMIC, attributes, limits.initiatorDepth());
            IbvLayout.QP_ATTR_MIN_RNR_TIMER.set(attributes, MIN_RNR_TIMER);
            pair.modify(call, attributes, mask.get(ValueLayout.JAVA_INT, 0) & KNOWN_ATTRIBUTES);
        } finally {
            lock.unlock();
        }
    }

    private static void limit(CField field, MemorySegment attributes, int max) {
        field.set(attributes, Math.min(field.get(attributes), max));
    }

    /**
     * Destroys it, which refuses a request and ends a connection. Waits for calls under way and, in
     * {@code rdma_destroy_id}, until {@link CmChannel#next} acknowledges, which waits for nothing.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!isDestroyed) {
                call("rdma_destroy_id", "it stays until the process ends", Rdmacm::rdma_destroy_id);
                isDestroyed = true;
                onDestroyed.accept(this);
            }
        } finally {
            lock.unlock();
        }
    }

    private void call(String name, String detail, Verb verb) {
        lock.lock();
        try (NativeCall call = NativeCall.begin()) {
            checkAlive();
            if (verb.call(call, address) != 0) {
                throw call.failure(name, detail);
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkAlive() {
        if (isDestroyed) {
            throw IdentifierState.closed();
        }
    }

    private static MemorySegment write(
            NativeCall call, ConnectionParameters parameters, int queuePairNumber) {
        byte[] data = parameters.privateData();
        MemorySegment param = call.allocate(RdmacmLayout.CONN_PARAM);
        RdmacmLayout.PARAM_PRIVATE_DATA.set(param, write(call, data).address());
        RdmacmLayout.PARAM_PRIVATE_DATA_LEN.set(param, data.length);
        RdmacmLayout.PARAM_RESPONDER_RESOURCES.set(param, parameters.responderResources());
        RdmacmLayout.PARAM_INITIATOR_DEPTH.set(param, parameters.initiatorDepth());
        // Every device that has reliable connections has end-to-end flow control on them.
        RdmacmLayout.PARAM_FLOW_CONTROL.set(param, 1);
        RdmacmLayout.PARAM_RETRY_COUNT.set(param, parameters.retryCount());
        RdmacmLayout.PARAM_RNR_RETRY_COUNT.set(param, parameters.rnrRetryCount());
        RdmacmLayout.PARAM_QP_NUM.set(param, queuePairNumber);
        return param;
    }

    private static MemorySegment write(NativeCall call, byte[] data) {
        MemorySegment memory = call.arena().allocate(Math.max(data.length, 1));
        MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, 0, data.length);
        return memory;
    }

    private static int milliseconds(Duration timeout) {
        return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
    }
}
