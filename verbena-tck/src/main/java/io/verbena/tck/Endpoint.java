// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * One side of a connection with everything it needs: context, domain, completion queues, a queue
 * pair and a memory region. Every wait polls only the endpoint's own queues. One thread at a time
 * may use it.
 */
public final class Endpoint implements AutoCloseable {
    private static final int PORT = 1;
    private static final int MAX_READ_ATOMIC = 16;
    private static final int RETRIES = 3;
    private static final int RNR_FOR_EVER = 7;
    private static final int RNR_TIMER = 12;
    private static final int REPORTED = 8;

    private final String name;
    private final Patience patience;
    private final Resources resources;
    private final Arena arena;
    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final Optional<CompletionChannel> channel;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final QueuePair queuePair;
    private final MemoryRegion region;
    private final ConnectionSettings settings;
    private final WorkCompletion cursor;
    private final Deque<Completion> seen = new ArrayDeque<>();
    private Optional<Endpoint> peer = Optional.empty();

    Endpoint(EndpointBuilder builder, Resources resources) {
        this.resources = resources;
        name = builder.name;
        patience = new Patience(builder.fixture.patience());
        arena = resources.add(Arena.ofShared());
        cursor = WorkCompletion.allocate(arena, 1);
        if (builder.domain.isPresent()) {
            domain = builder.domain.get();
            context = domain.context();
        } else {
            context = resources.add(builder.opener.get());
            domain = resources.add(context.allocateProtectionDomain());
        }
        channel =
                builder.channel
                        ? Optional.of(resources.add(context.createCompletionChannel()))
                        : Optional.empty();
        sendQueue = builder.completionQueue.orElseGet(() -> createQueue(builder.completionDepth));
        receiveQueue =
                builder.oneQueue || builder.completionQueue.isPresent()
                        ? sendQueue
                        : createQueue(builder.completionDepth);
        region =
                resources.add(
                        builder.memory.create(domain, arena, builder.regionBytes, builder.access));
        queuePair = resources.add(domain.createQueuePair(options(builder)));
        settings = builder.settings.apply(defaultSettings(builder));
    }

    private CompletionQueue createQueue(int depth) {
        return resources.add(
                channel.isPresent()
                        ? context.createCompletionQueue(depth, channel.get(), 0)
                        : context.createCompletionQueue(depth));
    }

    private QueuePairOptions options(EndpointBuilder builder) {
        return new QueuePairOptions(
                sendQueue,
                receiveQueue,
                builder.sendRequests,
                builder.receiveRequests,
                builder.sendElements,
                builder.receiveElements,
                builder.inlineBytes,
                builder.signalAll);
    }

    private ConnectionSettings defaultSettings(EndpointBuilder builder) {
        DeviceAttributes device = context.queryDevice();
        return ConnectionSettings.of(builder.connectionAccess)
                .withRetries(RETRIES, RNR_FOR_EVER, RNR_TIMER)
                .withReadAtomic(
                        Math.min(MAX_READ_ATOMIC, device.maxInitiatorReadAtomic()),
                        Math.min(MAX_READ_ATOMIC, device.maxReadAtomic()))
                .withPath(
                        PORT,
                        context.defaultGidIndex(PORT),
                        activeMtu(),
                        builder.packetSequenceNumber);
    }

    /** {@return the largest path MTU its port can use now} */
    public PathMtu activeMtu() {
        return context.queryPort(PORT).activeMtu();
    }

    /** {@return what a peer must know to connect to this} */
    public QueuePairAddress address() {
        return new QueuePairAddress(
                gid(),
                context.queryPort(PORT).lid(),
                queuePair.number(),
                settings.sendPacketSequenceNumber());
    }

    private Gid gid() {
        return context.queryGids(PORT).stream()
                .filter(entry -> entry.index() == settings.gidIndex())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no GID " + settings.gidIndex()))
                .gid();
    }

    /**
     * Takes the queue pair to READY_TO_SEND.
     *
     * @param peer what to connect to
     * @param mtu the path MTU both sides use
     */
    public void connect(QueuePairAddress peer, PathMtu mtu) {
        queuePair.connect(
                peer,
                settings.withPath(
                        PORT, settings.gidIndex(), mtu, settings.sendPacketSequenceNumber()));
    }

    /** Takes the queue pair to INIT. */
    public void toInit() {
        queuePair.modify(
                QueuePairAttributes.to(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(PORT)
                        .access(settings.access().toArray(AccessFlag[]::new)));
    }

    /**
     * Takes the queue pair from INIT to READY_TO_RECEIVE.
     *
     * @param remote what to connect to
     * @param mtu the path MTU both sides use
     */
    public void toReadyToReceive(QueuePairAddress remote, PathMtu mtu) {
        queuePair.modify(
                QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                        .path(remote.gid(), remote.lid(), settings.gidIndex())
                        .pathMtu(mtu)
                        .destination(remote.number())
                        .receivePacketSequenceNumber(remote.packetSequenceNumber())
                        .maxDestinationReadAtomic(settings.maxDestinationReadAtomic())
                        .minRnrTimer(settings.minRnrTimer()));
    }

    /** {@return the settings it connects with} */
    public ConnectionSettings settings() {
        return settings;
    }

    /** {@return the device context} */
    public DeviceContext context() {
        return context;
    }

    /** {@return the protection domain} */
    public ProtectionDomain domain() {
        return domain;
    }

    /** {@return the completion channel, if it was asked for} */
    public Optional<CompletionChannel> channel() {
        return channel;
    }

    /** {@return where sends complete} */
    public CompletionQueue sendQueue() {
        return sendQueue;
    }

    /** {@return where receives complete; the same as the send queue if that was asked for} */
    public CompletionQueue receiveQueue() {
        return receiveQueue;
    }

    /** {@return the queue pair} */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** {@return the memory region} */
    public MemoryRegion region() {
        return region;
    }

    /** {@return an arena that lives as long as this} */
    public Arena arena() {
        return arena;
    }

    /** {@return the limit of its waits} */
    public Patience patience() {
        return patience;
    }

    /**
     * {@return a part of the region's memory}
     *
     * @param offset where it starts
     * @param length how long it is
     */
    public MemorySegment memory(long offset, long length) {
        return region.memory().asSlice(offset, length);
    }

    /**
     * {@return the given resource, which is closed with this, newest first}
     *
     * @param resource what to close
     * @param <T> its type
     */
    public <T extends AutoCloseable> T closing(T resource) {
        return resources.add(resource);
    }

    /**
     * {@return another region in the same domain, closed with this}
     *
     * @param kind where its memory comes from
     * @param length how many bytes
     * @param access what is allowed
     */
    public MemoryRegion createRegion(MemoryKind kind, long length, AccessFlag... access) {
        return resources.add(kind.create(domain, arena, length, access));
    }

    /**
     * {@return a new signaled send request with room for as many elements as the queue pair allows}
     *
     * @param opcode what to do
     * @param id its number
     */
    public SendWorkRequest request(SendOpcode opcode, long id) {
        return SendWorkRequest.allocate(arena, queuePair.options().maxSendElements())
                .opcode(opcode)
                .id(id);
    }

    /**
     * {@return a new signaled send request from the region}
     *
     * @param opcode what to do
     * @param id its number
     * @param offset where the local bytes start in the region
     * @param length how many; no element at all if 0, because some adapters read 0 as two gigabytes
     */
    public SendWorkRequest request(SendOpcode opcode, long id, long offset, int length) {
        SendWorkRequest request = request(opcode, id);
        return length == 0 ? request : request.element(region, offset, length);
    }

    /**
     * {@return a new signaled request between the region and the peer's}
     *
     * @param opcode a write or read
     * @param id its number
     * @param offset where the local bytes start in the region
     * @param length how many
     * @param remoteOffset where the remote bytes start in the peer's region
     */
    public SendWorkRequest remote(
            SendOpcode opcode, long id, long offset, int length, long remoteOffset) {
        MemoryRegion remote = peer().region();
        return request(opcode, id, offset, length)
                .remote(remote.address() + remoteOffset, remote.rkey());
    }

    /** {@return the other side} */
    public Endpoint peer() {
        return peer.orElseThrow(() -> new IllegalStateException(name + " has no peer"));
    }

    /**
     * {@return a new receive into the region}
     *
     * @param id its number
     * @param offset where the buffer starts in the region
     * @param length how long it is; no element at all if 0
     */
    public ReceiveWorkRequest receive(long id, long offset, int length) {
        ReceiveWorkRequest request = receive(id);
        return length == 0 ? request : request.element(region, offset, length);
    }

    /**
     * Fills a part of the region with a pattern.
     *
     * @param offset where it starts
     * @param length how long it is
     * @param seed which pattern
     */
    public void fill(long offset, long length, long seed) {
        Pattern.fill(memory(offset, length), seed);
    }

    /**
     * Asserts that a part of the region holds a pattern.
     *
     * @param offset where it starts
     * @param length how long it is
     * @param seed which pattern
     */
    public void verify(long offset, long length, long seed) {
        Pattern.verify(memory(offset, length), seed);
    }

    /**
     * {@return a new receive with room for as many elements as the queue pair allows}
     *
     * @param id its number
     */
    public ReceiveWorkRequest receive(long id) {
        return ReceiveWorkRequest.allocate(arena, queuePair.options().maxReceiveElements()).id(id);
    }

    /**
     * Posts one signaled SEND.
     *
     * @param id its number
     * @param offset where the message starts in the region
     * @param length how long it is
     */
    public void postSend(long id, long offset, int length) {
        post(request(SendOpcode.SEND, id, offset, length));
    }

    /**
     * Posts one receive.
     *
     * @param id its number
     * @param offset where the buffer starts in the region
     * @param length how long it is
     */
    public void postReceive(long id, long offset, int length) {
        post(receive(id, offset, length));
    }

    /**
     * Posts a chain of send requests and asserts that all were taken.
     *
     * @param first the first one
     */
    public void post(SendWorkRequest first) {
        int expected = 1;
        for (SendWorkRequest request = first; request.hasNext(); request = request.next()) {
            expected++;
        }
        assertThat(queuePair.postSend(first)).as("taken by %s", this).isEqualTo(expected);
    }

    /**
     * Posts a chain of receives and asserts that all were taken.
     *
     * @param first the first one
     */
    public void post(ReceiveWorkRequest first) {
        int expected = 1;
        for (ReceiveWorkRequest request = first; request.hasNext(); request = request.next()) {
            expected++;
        }
        assertThat(queuePair.postReceive(first)).as("taken by %s", this).isEqualTo(expected);
    }

    /** {@return the next completion of the send queue} */
    public Completion awaitSend() {
        return await(sendQueue, "send completion");
    }

    /** {@return the next completion of the receive queue} */
    public Completion awaitReceive() {
        return await(receiveQueue, "receive completion");
    }

    private Completion await(CompletionQueue queue, String what) {
        patience.await(what + " of " + name, () -> queue.poll(cursor) == 1, this::report);
        return remember(Completion.of(cursor));
    }

    /** {@return a completion of either queue, if there is one now} */
    public Optional<Completion> poll() {
        if (sendQueue.poll(cursor) == 1 || receiveQueue.poll(cursor) == 1) {
            return Optional.of(remember(Completion.of(cursor)));
        }
        return Optional.empty();
    }

    private Completion remember(Completion completion) {
        if (seen.size() == REPORTED) {
            seen.removeFirst();
        }
        seen.addLast(completion);
        return completion;
    }

    /** Asserts that neither queue has a completion now. */
    public void assertNoCompletion() {
        Optional<Completion> completion = poll();
        if (completion.isPresent()) {
            throw new AssertionError(this + " has an unexpected " + completion.get());
        }
    }

    /**
     * Asserts that neither queue gets a completion for a while.
     *
     * @param time how long to watch
     */
    public void assertQuiet(Duration time) {
        long start = System.nanoTime();
        for (int idle = 0; System.nanoTime() - start < time.toNanos(); idle++) {
            assertNoCompletion();
            Patience.pause(idle);
        }
    }

    /**
     * Waits until the queue pair is in a state.
     *
     * @param expected the state
     */
    public void awaitState(QueuePairState expected) {
        patience.await(
                "state " + expected + " of " + name,
                () -> queuePair.state() == expected,
                this::report);
    }

    /** Moves the queue pair to ERROR. */
    public void fail() {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
    }

    void peer(Endpoint other) {
        peer = Optional.of(other);
    }

    private String report() {
        return this
                + ", peer "
                + peer.map(Endpoint::toString).orElse("unknown")
                + ", last completions "
                + seen;
    }

    @Override
    public String toString() {
        return name + "[qp=0x" + Integer.toHexString(queuePair.number()) + " " + safeState() + "]";
    }

    private String safeState() {
        try {
            return queuePair.state().toString();
        } catch (RuntimeException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        resources.close();
    }
}
