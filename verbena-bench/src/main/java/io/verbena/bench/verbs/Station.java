// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One side of the measurement: its device, its memory, and what it knows about the other side.
 * Queue pairs are created anew for each message size, so that every size starts from the same
 * state.
 */
final class Station implements AutoCloseable {
    private static final int QP_TIMEOUT = 14;
    private static final int PSN_BITS = 24;

    private final TestPlan plan;
    private final LocalPort local;
    private final DeviceContext context;
    private final DeviceAttributes attributes;
    private final PortAttributes port;
    private final int gidIndex;
    private final ProtectionDomain domain;
    private final Arena arena = Arena.ofShared();
    private final List<Completions> completions = new ArrayList<>();
    private final List<QueuePair> idlePairs = new ArrayList<>();
    private final MemoryRegion outgoing;
    private final MemoryRegion incoming;
    private final StationAddress self;
    private StationAddress peer;

    private Station(TestPlan plan, LocalPort local, DeviceContext context, StallCheck patience) {
        this.plan = plan;
        this.local = local;
        this.context = context;
        this.attributes = context.queryDevice();
        this.port = context.queryPort(local.port());
        this.gidIndex =
                local.gidIndex() < 0 ? context.defaultGidIndex(local.port()) : local.gidIndex();
        checkInline();
        this.domain = context.allocateProtectionDomain();
        for (int i = 0; i < pairCount(); i++) {
            completions.add(new Completions(context, arena, queueDepth(), plan.events(), patience));
        }
        this.outgoing = memory(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        this.incoming =
                memory(
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_ATOMIC);
        this.self = describe();
        this.peer = self;
    }

    static Station open(TestPlan plan, LocalPort local, StallCheck patience) {
        DeviceContext context = local.open();
        try {
            return new Station(plan, local, context, patience);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    TestPlan plan() {
        return plan;
    }

    String deviceName() {
        return context.device().name();
    }

    PortAttributes port() {
        return port;
    }

    int gidIndex() {
        return gidIndex;
    }

    StationAddress self() {
        return self;
    }

    StationAddress peer() {
        return peer;
    }

    void peer(StationAddress other) {
        peer = other;
    }

    Arena arena() {
        return arena;
    }

    MemoryRegion outgoing() {
        return outgoing;
    }

    MemoryRegion incoming() {
        return incoming;
    }

    /**
     * {@return how many queue pairs carry traffic: if there are idle ones on the first completion
     * queue, there is a second pair with its own completion queue, for comparison under the same
     * conditions}
     */
    int pairCount() {
        return plan.idlePairs() > 0 ? 2 : 1;
    }

    /** {@return the longest message that is sent inline; 0 for none} */
    int inlineBytes() {
        if (plan.inlineBytes() >= 0) {
            return plan.inlineBytes();
        }
        return plan.test().isLatency() ? attributes.maxInlineBytes() : 0;
    }

    /** {@return the path MTU that both sides can use} */
    PathMtu mtu() {
        return PathMtu.of(Math.min(self.mtuCode(), peer.mtuCode()));
    }

    /** {@return the completions of a pair, counted from zero} */
    Completions completions(int index, int bytes) {
        Completions queue = completions.get(index);
        queue.restart(bytes);
        return queue;
    }

    QueuePair createPair(int index) {
        return domain.createQueuePair(
                QueuePairOptions.of(completions.get(index).queue())
                        .withRequests(sendRequests(), plan.rxDepth())
                        .withInline(inlineBytes()));
    }

    /** Creates queue pairs that share the first completion queue. {@return their numbers} */
    int[] createIdlePairs(int count) {
        QueuePairOptions options = QueuePairOptions.of(completions.getFirst().queue());
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            QueuePair pair = domain.createQueuePair(options);
            idlePairs.add(pair);
            numbers[i] = pair.number();
        }
        return numbers;
    }

    /** Connects the newest idle pairs to the same number of idle pairs of the peer. */
    void connectIdlePairs(int... numbers) {
        int first = idlePairs.size() - numbers.length;
        for (int i = 0; i < numbers.length; i++) {
            connect(idlePairs.get(first + i), numbers[i]);
        }
    }

    void connect(QueuePair pair, int peerNumber) {
        ConnectionSettings settings =
                ConnectionSettings.of(
                                AccessFlag.REMOTE_WRITE,
                                AccessFlag.REMOTE_READ,
                                AccessFlag.REMOTE_ATOMIC)
                        .withPath(local.port(), gidIndex, mtu(), self.packetSequenceNumber())
                        .withTimeout(QP_TIMEOUT)
                        .withReadAtomic(
                                Math.min(self.readsStarted(), peer.readsAnswered()),
                                Math.min(self.readsAnswered(), peer.readsStarted()));
        pair.connect(
                new QueuePairAddress(
                        peer.gid(), peer.lid(), peerNumber, peer.packetSequenceNumber()),
                settings);
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }

    /** The send queue has a minimum depth: a ping-pong signals only now and then. */
    private int sendRequests() {
        return Math.max(plan.txDepth(), 4);
    }

    private int queueDepth() {
        return sendRequests() + plan.rxDepth() + 1;
    }

    private void checkInline() {
        if (plan.inlineBytes() > attributes.maxInlineBytes()) {
            throw new ToolException(
                    "inline_size: "
                            + plan.inlineBytes()
                            + " (expected: 0.."
                            + attributes.maxInlineBytes()
                            + " on "
                            + deviceName()
                            + ")");
        }
    }

    private MemoryRegion memory(AccessFlag... access) {
        long length = Math.max(4096, plan.areaBytes());
        return switch (plan.memory()) {
            case DEVICE -> domain.allocate(length, access);
            case USER -> domain.register(arena.allocate(length, 4096), access);
        };
    }

    private StationAddress describe() {
        List<GidEntry> gids = context.queryGids(local.port());
        GidEntry gid =
                gids.stream()
                        .filter(entry -> entry.index() == gidIndex)
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new ToolException(
                                                "gid-index: "
                                                        + gidIndex
                                                        + " (expected: one of "
                                                        + gids.stream()
                                                                .map(GidEntry::index)
                                                                .toList()
                                                        + ")"));
        return new StationAddress(
                gid.gid(),
                port.lid(),
                new Random().nextInt(1 << PSN_BITS),
                port.activeMtu().code(),
                attributes.maxInitiatorReadAtomic(),
                attributes.maxReadAtomic(),
                outgoing.address(),
                outgoing.rkey(),
                incoming.address(),
                incoming.rkey());
    }
}
