// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.verbena.memory.BlockPool;
import io.verbena.transport.handshake.RdmaCmEvents;
import io.verbena.transport.rdma.DeviceFailure;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.verbs.DeviceContext;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the connections of a process share: event loops for TCP and handshakes, the RDMA device with
 * its dispatchers, and the memory pool. Any thread may call any method.
 *
 * <p>Close servers and connections first, then the transport, then the {@link RdmaDomain} or pool,
 * which still belong to the caller.
 */
public final class Transport implements AutoCloseable {
    private static final int MAX_VERBS_THREADS = 8;
    private static final long VERBS_THREAD_IDLE_SECONDS = 10;

    /** How long event loops wait for late tasks; the transport adds none. */
    private static final long QUIET_PERIOD_MS = 0;

    private final TransportFlags firstFlags;
    private volatile TransportFlags flags;
    private final BlockPool pool;
    private final RdmaEndpoints endpoints;
    private final EventLoopGroup loops;
    private final FallbackWarnings fallbacks = new FallbackWarnings();
    private final ThreadPoolExecutor verbs;
    private final AtomicLong lastId;
    private final Optional<DeviceContext> context;
    private final ReentrantLock lock = new ReentrantLock();

    /** Made when first needed: it has a thread. Guarded by the lock. */
    private Optional<RdmaCmEvents> cmEvents = Optional.empty();

    private Transport(
            RdmaEndpoints endpoints,
            BlockPool pool,
            TransportFlags flags,
            Optional<DeviceContext> context) {
        SocketFailure.prepare();
        DeviceFailure.prepare();
        this.firstFlags = flags;
        this.flags = flags;
        this.context = context;
        this.pool = pool;
        this.endpoints = endpoints;
        this.loops =
                new EnduringEventLoops(
                        flags.integer(TransportFlag.EVENT_DISPATCHER_NUM),
                        threads("verbena-tcp-"),
                        NioIoHandler.newFactory());
        this.verbs = verbsThreads();
        // A random part makes the ids of different transports differ, and makes them hard to guess.
        this.lastId = new AtomicLong((long) new SecureRandom().nextInt(1, 1 << 30) << 32);
    }

    /**
     * {@return a transport for TCP only}
     *
     * @param pool where the memory of buffers comes from
     * @param flags settings
     */
    public static Transport overTcp(BlockPool pool, TransportFlags flags) {
        return new Transport(RdmaEndpoints.none(), pool, flags, Optional.empty());
    }

    /**
     * {@return a transport for RDMA and TCP}
     *
     * @param domain the device and its memory; still belongs to the caller, who closes it after the
     *     transport
     * @param flags settings
     */
    public static Transport over(RdmaDomain domain, TransportFlags flags) {
        return new Transport(
                domain.endpoints(), domain.pool(), flags, Optional.of(domain.context()));
    }

    /** {@return a transport with another source of endpoints, which still belongs to the caller} */
    static Transport of(RdmaEndpoints endpoints, BlockPool pool, TransportFlags flags) {
        return new Transport(endpoints, pool, flags, Optional.empty());
    }

    /** {@return the settings for clients and servers that have none of their own} */
    public TransportFlags flags() {
        return flags;
    }

    /**
     * Changes a flag for the connections that are opened from now on, unless their client or server
     * has a value of its own for it.
     *
     * @param flag one that {@link TransportFlag#isChangeable}
     * @param value a Long, a Boolean or a String, as the flag has it
     * @throws IllegalArgumentException if the flag cannot be changed, or not to this value
     */
    public void change(TransportFlag flag, Object value) {
        if (!flag.isChangeable()) {
            throw new IllegalArgumentException(
                    flag.flagName()
                            + ": "
                            + value
                            + " needs a restart (expected: set at the start)");
        }
        lock.lock();
        try {
            flags = flags.with(flag, value);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the flags of a new connection: those given, with what was changed since} */
    TransportFlags now(TransportFlags given) {
        return given.changedLike(firstFlags, flags);
    }

    /** {@return where the memory of buffers comes from} */
    public BlockPool pool() {
        return pool;
    }

    /** {@return whether new connections may use RDMA} */
    public boolean isRdmaAvailable() {
        return endpoints.isAvailable();
    }

    /** New connections use TCP from now on; brpc's {@code GlobalDisableRdma}. */
    public void disableRdma() {
        endpoints.disable();
    }

    RdmaEndpoints endpoints() {
        return endpoints;
    }

    FallbackWarnings fallbacks() {
        return fallbacks;
    }

    EventLoopGroup loops() {
        return loops;
    }

    /** {@return the executor for device calls that may take long} */
    Executor verbs() {
        return verbs;
    }

    boolean hasDevice() {
        return context.isPresent();
    }

    /**
     * {@return the events of the device's connection manager}
     *
     * @throws TransportException if there is no device
     */
    RdmaCmEvents cmEvents() {
        lock.lock();
        try {
            if (cmEvents.isEmpty()) {
                cmEvents =
                        Optional.of(
                                new RdmaCmEvents(
                                        context.orElseThrow(
                                                () ->
                                                        new TransportException(
                                                                TransportError.ERDMA,
                                                                "no RDMA device was given"))));
            }
            return cmEvents.get();
        } finally {
            lock.unlock();
        }
    }

    long nextId() {
        return lastId.incrementAndGet();
    }

    /**
     * Ends the connections that are left, and the threads. Waits until the threads have ended, for
     * ever if a handler does not return: the memory that it uses must not be freed before.
     */
    @Override
    public void close() {
        verbs.shutdown();
        loops.shutdownGracefully(QUIET_PERIOD_MS, closeLimitMs(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly();
        lock.lock();
        try {
            cmEvents.ifPresent(RdmaCmEvents::close);
            cmEvents = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private long closeLimitMs() {
        return flags.number(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS);
    }

    /** Platform threads, because a native verb would pin a virtual thread to its carrier thread. */
    private static ThreadPoolExecutor verbsThreads() {
        int count = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, MAX_VERBS_THREADS);
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        count,
                        count,
                        VERBS_THREAD_IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        threads("verbena-verbs-"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static ThreadFactory threads(String name) {
        return Thread.ofPlatform().daemon().name(name, 0).factory();
    }
}
