// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.tools.TimedCompletions;
import io.verbena.tools.ToolException;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;

/**
 * One side: a queue pair, a buffer to send and one to receive into. The server sends what it
 * received, so for it they are the same.
 */
final class LocalEnd implements AutoCloseable {
    /** The id of every send; {@code PINGPONG_SEND_WRID}. */
    static final long SEND = 2;

    /** The id of every receive; {@code PINGPONG_RECV_WRID}. */
    static final long RECEIVE = 1;

    private static final int PSN_BITS = 24;
    private static final AccessFlag[] NO_ACCESS = {};

    private final PingPongPlan exchange;
    private final int port;
    private final Arena arena = Arena.ofConfined();
    private final TimedCompletions completions;
    private final ProtectionDomain domain;
    private final QueuePair pair;
    private final PageMarks pages;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private final GidEntry gid;
    private final QueuePairAddress address;

    /**
     * Creates the resources and posts the receives.
     *
     * @param context the device
     * @param port its port
     * @param gid which of the port's identifiers to use
     * @param exchange what to send
     * @param echo whether to send what was received
     */
    LocalEnd(DeviceContext context, int port, GidEntry gid, PingPongPlan exchange, boolean echo) {
        this.exchange = exchange;
        this.port = port;
        this.gid = gid;
        completions =
                new TimedCompletions(
                        context, arena, exchange.receiveDepth() + 1, exchange.events());
        domain = context.allocateProtectionDomain();
        MemoryRegion incoming = domain.allocate(exchange.size(), AccessFlag.LOCAL_WRITE);
        MemoryRegion outgoing = echo ? incoming : domain.allocate(exchange.size());
        pages = new PageMarks(incoming.memory(), outgoing.memory());
        pages.fill(!echo && exchange.validate());
        pair =
                domain.createQueuePair(
                        QueuePairOptions.of(completions.queue())
                                .withRequests(1, exchange.receiveDepth()));
        send.id(SEND).element(outgoing, 0, exchange.size());
        receive.id(RECEIVE).element(incoming, 0, exchange.size());
        pair.modify(
                QueuePairAttributes.to(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(port)
                        .access(NO_ACCESS));
        postReceives(exchange.receiveDepth());
        address =
                new QueuePairAddress(
                        gid.gid(),
                        context.queryPort(port).lid(),
                        pair.number(),
                        new Random().nextInt(1 << PSN_BITS));
    }

    /**
     * {@return the entry of a port's GID table with an index}
     *
     * @param context the device
     * @param port its port
     * @param index the index
     */
    static GidEntry gid(DeviceContext context, int port, int index) {
        List<GidEntry> gids = context.queryGids(port);
        return gids.stream()
                .filter(entry -> entry.index() == index)
                .findFirst()
                .orElseThrow(
                        () ->
                                new ToolException(
                                        "gid-idx: "
                                                + index
                                                + " (expected: one of "
                                                + gids.stream().map(GidEntry::index).toList()
                                                + ")"));
    }

    QueuePairAddress address() {
        return address;
    }

    TimedCompletions completions() {
        return completions;
    }

    /** {@return the content of the buffers} */
    PageMarks pages() {
        return pages;
    }

    void connect(QueuePairAddress remote) {
        if (remote.gid().equals(Gid.ZERO) && remote.lid() == 0) {
            throw new ToolException(
                    "the peer's address: LID 0 and GID :: (expected: one of the two;"
                            + " start the peer with -g INDEX)");
        }
        pair.connect(
                remote,
                ConnectionSettings.of()
                        .withPath(
                                port, gid.index(), exchange.mtu(), address.packetSequenceNumber()));
    }

    void postSend() {
        if (pair.postSend(send) != 1) {
            throw new ToolException("Couldn't post send");
        }
    }

    void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            if (pair.postReceive(receive) != 1) {
                throw new ToolException("Couldn't post receive (" + i + ")");
            }
        }
    }

    @Override
    public void close() {
        domain.close();
        completions.close();
        arena.close();
    }
}
