// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.verbena.completion.Faults;
import io.verbena.completion.Poller;
import io.verbena.completion.Waiter;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.handshake.Handshake;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection: its {@link Stage} does the work, this class keeps the contract. */
final class SocketConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);

    /** How long after the end of a socket its handlers must have been told. */
    private static final long LATE_MS = 100;

    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);

    private final long id;
    private final Transport transport;
    private final TransportFlags flags;
    private final EventLoop loop;
    private final ConnectionHandler handler;
    private final Consumer<SocketConnection> onFinish;
    private final HandshakeStage first;
    private final Optional<Newcomers> newcomers;
    private final long maxUnwrittenBytes;

    /** Why writes are refused: the connection was closed, or has ended. */
    private final AtomicReference<TransportException> refusal = new AtomicReference<>();

    /** Why it has ended. */
    private final AtomicReference<TransportException> ending = new AtomicReference<>();

    private volatile Stage stage;
    private volatile Channel channel;
    private volatile InetSocketAddress remote = NOWHERE;
    private volatile InetSocketAddress local = NOWHERE;
    private volatile Optional<TlsSession> tls = Optional.empty();
    private volatile Optional<String> fallbackReason = Optional.empty();
    private boolean isCloseAsked;

    /**
     * A connection that waits for TCP.
     *
     * @param transport where it belongs
     * @param flags its settings
     * @param loop its event loop
     * @param handler its user
     * @param strategy how it agrees on a carrier
     * @param onFinish called at the end, before the user is
     * @param newcomers limits it until its peer has proved itself; a client has none
     */
    SocketConnection(
            Transport transport,
            TransportFlags flags,
            EventLoop loop,
            ConnectionHandler handler,
            Function<Handshake.Host, Handshake> strategy,
            Consumer<SocketConnection> onFinish,
            Optional<Newcomers> newcomers) {
        this.id = transport.nextId();
        this.transport = transport;
        this.flags = flags;
        this.loop = loop;
        this.handler = handler;
        this.onFinish = onFinish;
        this.newcomers = newcomers;
        this.maxUnwrittenBytes = flags.number(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES);
        this.first = new HandshakeStage(this, strategy);
        this.stage = first;
    }

    /** Sets its socket, which need not be connected yet. */
    void attach(Channel socket) {
        channel = socket;
        socket.closeFuture().addListener(_ -> onSocketClosed());
    }

    /**
     * Netty reports the end to the handlers in a task, and without memory for that never does. So
     * this looks a moment later, when they have been told if they ever are.
     */
    private void onSocketClosed() {
        if (hasEnded()) {
            return;
        }
        try {
            Future<?> _ = loop.schedule(this::endIfClosed, LATE_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("connection {}: the transport is closed", id, e);
        } catch (Throwable e) { // no memory for that either
            endIfClosed();
        }
    }

    private void endIfClosed() {
        if (!hasEnded()) {
            stage.onEnd(SocketFailure.peerClosed());
        }
    }

    void expectPeer(InetSocketAddress address) {
        remote = address;
    }

    Channel channel() {
        return channel;
    }

    EventLoop loop() {
        return loop;
    }

    TransportFlags flags() {
        return flags;
    }

    BlockPool pool() {
        return transport.pool();
    }

    void warnOfTcp(String reason) {
        fallbackReason = Optional.of(reason);
        transport.fallbacks().warn(this, reason);
    }

    Executor verbs() {
        return transport.verbs();
    }

    Stage stage() {
        return stage;
    }

    /** TCP is connected. */
    void onConnected(boolean isClient) {
        // kept, because a closed socket has none
        if (channel.localAddress() instanceof InetSocketAddress bound) {
            local = bound;
        }
        IdleWatch.start(this);
        first.onConnected(isClient);
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public boolean isRdma() {
        return stage instanceof RdmaStage;
    }

    @Override
    public HandshakeState handshakeState() {
        return first.handshake().state();
    }

    @Override
    public RdmaState rdmaState() {
        return first.handshake().rdmaState();
    }

    @Override
    public Optional<String> fallbackReason() {
        return fallbackReason;
    }

    /** TLS has agreed. */
    void onSecured(TlsSession session) {
        tls = Optional.of(session);
    }

    @Override
    public Optional<TlsSession> tls() {
        return tls;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public void write(IOBuf data) {
        checkOpen();
        stage.write(data);
    }

    /**
     * Throws if it is closed. The exception is a new one: the stack trace of the reason is another
     * thread's.
     */
    void checkOpen() {
        TransportException why = refusal.get();
        if (why != null) {
            throw new TransportException(why.error(), why.detail(), why);
        }
    }

    /** Throws if too many bytes are waiting already. */
    void checkRoom(long unwrittenBytes) {
        if (unwrittenBytes >= maxUnwrittenBytes) {
            throw new TransportException(
                    TransportError.EOVERCROWDED,
                    "unwritten bytes: "
                            + unwrittenBytes
                            + " (expected: fewer than socket_max_unwritten_bytes, "
                            + maxUnwrittenBytes
                            + "; wait until the peer has taken some)");
        }
    }

    @Override
    public void writeSoon(IOBuf data) {
        checkOpen();
        stage.writeSoon(data);
    }

    @Override
    public void writeBeyondLimit(IOBuf data) {
        checkOpen();
        stage.writeBeyondLimit(data);
    }

    @Override
    public void await(Waiter waiter) {
        waiter.await(stage.poller());
    }

    @Override
    public void attend() {
        stage.poller().ifPresent(Poller::attend);
    }

    @Override
    public boolean tryPlace(Runnable task) {
        Optional<Poller> poller = stage.poller();
        return poller.isPresent() && poller.get().tryPlace(task);
    }

    @Override
    public long unwrittenBytes() {
        return stage.unwrittenBytes();
    }

    @Override
    public ConnectionStatistics statistics() {
        Handshake handshake = first.handshake();
        return stage.statistics()
                .withHandshake(handshake.state(), handshake.rdmaState(), handshake.version());
    }

    @Override
    public void close() {
        TransportException reason =
                new TransportException(TransportError.ECLOSE, "closed by this side");
        if (refusal.compareAndSet(null, reason)) {
            stage.close();
        }
    }

    @Override
    public void abort(TransportException reason) {
        refusal.compareAndSet(null, reason);
        stage.abort(reason);
    }

    /** Closes the next stage as soon as it has been given what waits for it. Event loop. */
    void closeLater() {
        isCloseAsked = true;
    }

    /** The handshake is over: does what {@link #closeLater} asked for. Event loop. */
    void closeIfAsked() {
        if (isCloseAsked) {
            stage.close();
        }
    }

    /** Changes the stage. Event loop, once. */
    void become(Stage next) {
        stage = next;
    }

    /** It has been accepted. */
    void enter() {
        newcomers.ifPresent(all -> all.add(this));
    }

    @Override
    public void admit() {
        newcomers.ifPresent(all -> all.remove(this));
    }

    @Override
    public void renew() {
        newcomers.ifPresent(all -> all.renew(this));
    }

    /** Its peer was refused before it could prove itself; the connection ends for that reason. */
    void countRefusal(TransportException reason) {
        newcomers.ifPresent(all -> all.refuse(this, reason));
    }

    /** {@return whether it may get a queue pair now} */
    boolean tryTakeQueuePair() {
        return newcomers.isEmpty() || newcomers.get().tryTakeQueuePair(this);
    }

    /** It uses TCP, whether or not it could have had a queue pair. */
    void returnQueuePair() {
        newcomers.ifPresent(all -> all.returnQueuePair(this));
    }

    void tellOpen() {
        try {
            handler.onOpen(this);
        } catch (Throwable e) { // handlers may throw what they never declared
            onFaultOfHandler("onOpen", e);
        }
    }

    void tellData(IOBuf received) {
        try {
            handler.onData(this, received);
        } catch (Throwable e) { // handlers may throw what they never declared
            onFaultOfHandler("onData", e);
        }
    }

    /**
     * The connection has ended; only the first call counts. Called by the thread that makes the
     * callbacks.
     *
     * @param reason the reason passed to the user
     */
    void finish(TransportException reason) {
        if (!ending.compareAndSet(null, reason)) {
            return;
        }
        refusal.compareAndSet(null, reason);
        boolean isClosed = false;
        // one inside the other: without memory, even reporting a failure may fail
        try {
            isClosed = tryCloseSocket();
        } finally {
            try {
                leave();
            } finally {
                tellClosed(reason, isClosed);
            }
        }
    }

    private void tellClosed(TransportException reason, boolean isClosed) {
        try {
            handler.onClose(this, reason);
        } catch (Throwable e) {
            Faults.warn(SocketConnection.class, "onClose of its handler failed", this, e);
        } finally {
            if (!isClosed) {
                // nothing else would ever tell the peer; what was missing may be there now
                boolean _ = tryCloseSocket();
            }
        }
    }

    /** Closing takes memory; without it, the user must still learn of the end. */
    private boolean tryCloseSocket() {
        try {
            closeSocket();
            return true;
        } catch (Throwable e) {
            Faults.warn(SocketConnection.class, "its socket could not be closed", this, e);
            return false;
        }
    }

    private void leave() {
        try {
            admit();
        } catch (Throwable e) {
            Faults.warn(SocketConnection.class, "it stays a newcomer", this, e);
        } finally {
            forget();
        }
    }

    private void forget() {
        try {
            onFinish.accept(this);
        } catch (Throwable e) {
            Faults.warn(SocketConnection.class, "its server could not forget it", this, e);
        }
    }

    /** Tells the peer over TCP that this is the end. Any thread; once is enough. */
    void closeSocket() {
        if (channel != null) {
            ChannelFuture _ = channel.close();
        }
    }

    boolean hasEnded() {
        return ending.get() != null;
    }

    /**
     * Runs a task now if this is the event loop, otherwise soon; not at all if the transport is
     * closed, because that has ended all connections.
     */
    void runOnLoop(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
        } else {
            executeOnLoop(task);
        }
    }

    /** Runs a task soon, never inside this call; not at all if the transport is closed. */
    void executeOnLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("connection {}: the transport is closed", id, e);
        }
    }

    /**
     * Runs a task on the loop soon, after it has read what has arrived by now; not at all if the
     * transport is closed.
     */
    void executeAfterReads(Runnable task) {
        // Tasks may run one after the other without a read in between. A timer task that the loop
        // itself has scheduled waits for the next round, which starts with reading.
        executeOnLoop(
                () -> {
                    Future<?> _ = loop.schedule(task, 1, TimeUnit.MILLISECONDS);
                });
    }

    private void onFaultOfHandler(String method, Throwable e) {
        String what = method + " of the handler failed";
        Faults.warn(SocketConnection.class, what, this, e);
        abort(SocketFailure.internal(what, e));
    }

    @Override
    public String toString() {
        return "connection " + id + " to " + remote + " " + handshakeState();
    }
}
