// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Poller;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.IOBuf;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/**
 * The RDMA half of a connection, as the rest of the connection sees it: any thread may write. Its
 * {@link EndpointService} handles what is received, and the end.
 *
 * <p>Threads: a writer posts in its own thread unless another thread is posting, see {@link
 * PostingTurn}.
 */
final class QueuePairEndpoint implements RdmaEndpoint {
    /**
     * How many rounds a thread posts for other threads before it leaves the work to the dispatcher.
     */
    private static final int MOST_ROUNDS = 32;

    private final EndpointSettings settings;
    private final BlockPool pool;
    private final QueuePairLease lease;
    private final PostingTurn turn = new PostingTurn();
    private final SendWindow window = new SendWindow();
    private final ReceiveCredits credits = new ReceiveCredits();
    private final PostedSends sends;
    private final WriteQueue writes;
    private final Poster poster;
    private final PostedReceives receives;
    private final Arrivals arrivals;
    private final EndpointService service;
    private final Optional<Poller> poller;
    private final EndpointCalls calls;
    private final FlushList.Entry flush = new FlushList.Entry(this::post);

    /** Where the peer reaches it. Changed once, by the thread that brings it up. */
    private RdmaPort.Address address;

    /** Why posting has failed, so that nothing more is posted; or null. */
    private volatile Throwable fault;

    private volatile boolean isOpen;
    private volatile boolean isClosing;

    /** Why writes are refused; null while they are not. */
    private volatile TransportException end;

    /** What the thread that leaves posting to the poller has seen of the turn. */
    private int seenInside;

    QueuePairEndpoint(EndpointSettings settings, QueuePairLease lease) {
        this.settings = settings;
        this.pool = settings.pool();
        this.lease = lease;
        this.poller = Optional.of(lease.dispatcher().poller());
        this.address = settings.port().address();
        this.sends = new PostedSends(pool);
        this.writes = new WriteQueue(pool, settings.maxUnwrittenBytes());
        this.poster = new Poster(pool, lease, writes, window, credits, sends);
        this.receives =
                new PostedReceives(pool, lease, settings.receiveQueueSize(), settings.zeroCopyAt());
        this.arrivals = new Arrivals(settings, receives, credits);
        this.service = new EndpointService(this, settings, lease, window, credits, sends, arrivals);
        this.calls = service.calls();
    }

    /** Begins its life: it receives completions and device events from now on. */
    QueuePairEndpoint start() {
        if (lease.identifier().isPresent()) {
            fillReceives();
        }
        lease.slot().group().occupy(lease.slot(), service);
        lease.dispatcher().onBegin();
        calls.begin();
        boolean isListed = false;
        try {
            settings.directory().add(this);
            isListed = true;
        } finally {
            if (!isListed) {
                // Its slot would stay claimed for ever. Without a text, whose first use takes
                // memory.
                abort(DeviceFailure.abandoned());
            }
        }
        return this;
    }

    private void fillReceives() {
        try {
            receives.fill();
        } catch (Throwable e) {
            // the identifier still belongs to its owner; everything else is given back
            giveBack();
            throw DeviceFailure.of("posting receives", e);
        }
    }

    private void giveBack() {
        try {
            settings.queuePairs().giveBack(lease);
        } finally {
            try {
                receives.close();
            } finally {
                release();
            }
        }
    }

    @Override
    public Hello hello() {
        return new Hello(
                receives.blockSize(),
                settings.sendQueueSize(),
                settings.receiveQueueSize(),
                address.lid(),
                address.gid(),
                lease.queuePair().number(),
                Optional.empty());
    }

    @Override
    public void bringUp(Hello peer) {
        window.open(settings.sendQueueSize(), peer.receiveQueueSize());
        credits.open(settings.receiveQueueSize(), peer.sendQueueSize());
        sends.open(window.capacity());
        poster.open(peer.blockSize());
        if (lease.identifier().isPresent()) {
            return;
        }
        RdmaPort port = settings.port();
        address = port.addressFor(peer.gid());
        QueuePair pair = lease.queuePair();
        try {
            pair.modify(port.toInit());
            receives.fill();
            pair.modify(port.toReadyToReceive(peer, address));
            pair.modify(port.toReadyToSend());
        } catch (VerbsException e) {
            throw new TransportException(
                    TransportError.ERDMA, "connecting to " + peer + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void open(Sink sink) {
        // publishes the windows to the threads that post
        isOpen = true;
        calls.open(sink);
    }

    @Override
    public void write(IOBuf data) {
        write(data, 0);
    }

    @Override
    public void writeBeyondLimit(IOBuf data) {
        write(data, TransportFlags.BEYOND_LIMIT_BYTES);
    }

    private void write(IOBuf data, long beyondLimit) {
        if (!tryReserve(data, beyondLimit)) {
            return;
        }
        int entered = turn.enter();
        if (entered > 0) {
            addInside(data);
            post(entered);
            return;
        }
        leave(data);
        post(turn.enter());
    }

    private void addInside(IOBuf data) {
        try {
            writes.add(data);
        } catch (Throwable e) {
            // Part of it may be lost, so that nothing may follow. The caller must leave the turn:
            // nobody could post any more, and the end would wait for it for ever.
            fault = e;
            data.clear();
        }
    }

    @Override
    public void writeSoon(IOBuf data) {
        if (!isOpen || !lease.dispatcher().poller().isPassDue()) {
            write(data);
        } else if (tryReserve(data, 0)) {
            leave(data);
            lease.dispatcher().flushSoon(flush);
        }
    }

    /** {@return whether there is anything to write, which is counted now} */
    private boolean tryReserve(IOBuf data, long beyondLimit) {
        checkWritable();
        checkRegistered(data);
        long bytes = data.size();
        if (bytes > 0 && !writes.tryReserve(bytes, beyondLimit)) {
            throw overcrowded();
        }
        return bytes > 0;
    }

    private void leave(IOBuf data) {
        long bytes = data.size();
        boolean isLeft = false;
        try {
            isLeft = writes.tryLeave(data);
        } finally {
            if (!isLeft) {
                writes.unreserve(bytes);
            }
        }
        if (!isLeft) {
            checkWritable();
        }
    }

    private void checkWritable() {
        TransportException reason = end;
        if (reason != null) {
            throw new TransportException(reason.error(), "the connection has ended", reason);
        }
    }

    private TransportException overcrowded() {
        return new TransportException(
                TransportError.EOVERCROWDED,
                "unwritten bytes: "
                        + writes.unwritten()
                        + " (expected: fewer than socket_max_unwritten_bytes="
                        + settings.maxUnwrittenBytes()
                        + ")");
    }

    /**
     * Checked before the bytes become part of the stream, so that a refused write affects nothing
     * else.
     */
    private void checkRegistered(IOBuf data) {
        boolean isToCopy = false;
        for (int i = 0; i < data.pieces(); i++) {
            long lkey = pool.lkey(data, i);
            isToCopy |= lkey == BlockPool.COPIED_WHEN_SENT;
            if (lkey == BlockPool.NOT_REGISTERED) {
                throw new TransportException(
                        TransportError.ERDMAMEM,
                        "piece "
                                + i
                                + " of the written bytes is not registered with the device"
                                + " (expected: blocks of the domain's pool, or memory registered"
                                + " with BlockPool.register)");
            }
        }
        if (isToCopy) {
            copyToRegistered(data);
        }
    }

    /** If the pool has no room for the copy, the buffer holds the same bytes as before. */
    private void copyToRegistered(IOBuf data) {
        IOBuf copy = pool.buffer();
        try {
            while (!data.isEmpty()) {
                int length = data.pieceLength(0);
                if (pool.lkey(data, 0) == BlockPool.COPIED_WHEN_SENT) {
                    copy.append(data.piece(0));
                    data.popFront(length);
                } else {
                    data.cutInto(copy, length);
                }
            }
        } catch (BlockPoolException e) {
            throw new TransportException(
                    TransportError.ERDMAMEM, "no memory to copy the written bytes to", e);
        } finally {
            data.cutInto(copy, data.size());
            copy.cutInto(data, copy.size());
        }
    }

    /** Posts what can be posted, or leaves the work to the thread that is posting. Any thread. */
    void post() {
        post(turn.enter());
    }

    private void post(int entered) {
        int seen = entered;
        for (int rounds = 0; seen > 0; rounds++) {
            if (rounds == MOST_ROUNDS && !lease.dispatcher().poller().isHolder()) {
                seenInside = seen;
                calls.postOn();
                return;
            }
            postInside();
            seen = turn.leave(seen);
        }
        if (seen < 0) {
            calls.turnEnded();
        } else if (fault != null) {
            failPosting(fault);
        }
    }

    /** Goes on in place of a thread that has posted enough, and is still inside. Dispatcher. */
    void postOn() {
        post(seenInside);
    }

    /** Ends it; nothing is posted any more. */
    private void failPosting(Throwable cause) {
        TransportException reason = DeviceFailure.of("posting a send", cause);
        refuseWrites(reason);
        calls.fail(reason);
    }

    private void postInside() {
        if (!isOpen || fault != null || end != null && !isClosing) {
            return;
        }
        try {
            poster.post(isClosing);
        } catch (Throwable e) { // nobody could post any more if it left the turn taken
            fault = e;
        }
    }

    /** {@return whether something is waiting for a window or a place} */
    boolean needsPost() {
        return isOpen && (writes.unwritten() > 0 || isClosing || credits.isAcknowledgementDue());
    }

    /** {@return whether everything written is in the peer's memory} Dispatcher. */
    boolean isDrained() {
        return writes.unwritten() == 0 && window.completed() == window.postedAcquire();
    }

    /** Refuses writes from now on; what was written is still sent. */
    void beginClose(TransportException reason) {
        isClosing = end == null;
        refuseWrites(reason);
        post();
    }

    /** Refuses writes from now on. */
    void refuseWrites(TransportException reason) {
        if (end == null) {
            end = reason;
        }
    }

    /**
     * Replaces the reason for refusing writes with a better one, if it has not changed meanwhile.
     */
    void refuseWrites(TransportException before, TransportException reason) {
        if (before.equals(end)) {
            end = reason;
        }
    }

    /** {@return whether the turn is empty and stays so} Dispatcher, once. */
    boolean closeTurn() {
        isClosing = false;
        return turn.close();
    }

    /** Gives back what writes held; the turn is closed, the queue pair reset. Dispatcher. */
    void release() {
        try {
            writes.close();
        } finally {
            closePosted();
        }
    }

    private void closePosted() {
        try {
            sends.close();
        } finally {
            poster.close();
        }
    }

    /** The device reports an error of the queue pair. Any thread. */
    void onDeviceEvent(String event) {
        calls.deviceEvent(event);
    }

    int number() {
        return lease.queuePair().number();
    }

    @Override
    public Optional<Poller> poller() {
        return poller;
    }

    @Override
    public long unwrittenBytes() {
        return writes.unwritten();
    }

    @Override
    public ConnectionStatistics statistics() {
        return new ConnectionStatistics(
                HandshakeState.ESTABLISHED,
                RdmaState.RDMA_ON,
                0,
                window.capacity(),
                credits.capacity(),
                window.remoteRoomAcquire(),
                window.sendRoomAcquire(),
                credits.acknowledgementRoom(),
                credits.unreported(),
                poster.unsignaled(),
                window.postedAcquire(),
                arrivals.messages(),
                credits.sentAcquire(),
                arrivals.acknowledgements(),
                writes.postedAcquire(),
                arrivals.bytes(),
                writes.unwritten());
    }

    @Override
    public void peerClosed(TransportException reason) {
        calls.peerClosed(reason);
    }

    @Override
    public void close(TransportException reason) {
        calls.close(reason);
    }

    @Override
    public void abort(TransportException reason) {
        refuseWrites(reason);
        calls.abort(reason);
    }
}
