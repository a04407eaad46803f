// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockType;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.ProtectionDomain;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open device with what all endpoints on it share: registered memory, pollers, completion
 * queues, and queue pairs ready for use. The implementation of an {@code RdmaDomain}, which states
 * its contract.
 */
public final class RdmaDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaDevice.class);
    private static final long LOOKS_PER_IDLE_TIME = 4;
    private static final long LEAST_SHRINK_PERIOD_MS = 10;
    private static final long MOST_SHRINK_PERIOD_MS = 5000;

    private final RdmaPort port;
    private final ProtectionDomain protectionDomain;
    private final BlockPool pool;
    private final Dispatchers dispatchers;
    private final QueuePairs queuePairs;
    private final QueuePairEndpoints endpoints;
    private final DeviceEvents events;
    private final EndpointDirectory directory = new EndpointDirectory();
    private boolean isClosed;

    private RdmaDevice(RdmaPort port, TransportFlags flags, BlockPoolOptions poolOptions) {
        this.port = port;
        this.protectionDomain = port.context().allocateProtectionDomain();
        this.pool = BlockPool.of(protectionDomain, withReceiveType(flags, poolOptions));
        this.dispatchers = new Dispatchers(port.context(), pool, flags);
        this.queuePairs = new QueuePairs(protectionDomain, dispatchers, flags);
        EndpointSettings settings = EndpointSettings.of(flags, port, pool, queuePairs, directory);
        this.endpoints = new QueuePairEndpoints(settings, dispatchers);
        this.events =
                new DeviceEvents(port, endpoints::onEvent, shrinkPeriod(poolOptions), this::shrink);
    }

    /**
     * Often enough that a region is given back soon after its time, and seldom enough to cost
     * nothing.
     */
    private static Duration shrinkPeriod(BlockPoolOptions options) {
        long ms = options.regionIdle().toMillis() / LOOKS_PER_IDLE_TIME;
        return Duration.ofMillis(Math.clamp(ms, LEAST_SHRINK_PERIOD_MS, MOST_SHRINK_PERIOD_MS));
    }

    private void shrink() {
        long bytes = pool.shrinkIdle();
        if (bytes > 0) {
            LOG.debug("{}: gave back {} bytes of idle memory", port, bytes);
        }
    }

    /** The transport's flag overrides the pool's option of the same name. */
    private static BlockPoolOptions withReceiveType(
            TransportFlags flags, BlockPoolOptions options) {
        String name = flags.text(TransportFlag.RDMA_RECV_BLOCK_TYPE);
        return name.equals(TransportFlag.RDMA_RECV_BLOCK_TYPE.initialValue())
                ? options
                : options.withReceive(BlockType.named(name), options.receiveReservePercent());
    }

    /**
     * {@return the device the flags name, or else the first usable one}
     *
     * @param flags {@code rdma_device}, {@code rdma_port}, {@code rdma_gid_index} and the flags
     *     that say how to use it
     * @param poolOptions the settings of its registered memory
     * @throws io.verbena.verbs.VerbsException if there is no such device, or it refuses
     */
    public static RdmaDevice open(TransportFlags flags, BlockPoolOptions poolOptions) {
        return open(RdmaPort.open(flags), flags, poolOptions);
    }

    /**
     * {@return a device that is open already}
     *
     * @param context closed with it, or at once if this fails
     * @param flags how to use it
     * @param poolOptions the settings of its registered memory
     * @throws io.verbena.verbs.VerbsException if the device refuses
     */
    public static RdmaDevice open(
            DeviceContext context, TransportFlags flags, BlockPoolOptions poolOptions) {
        return open(RdmaPort.of(context, flags), flags, poolOptions);
    }

    private static RdmaDevice open(
            RdmaPort port, TransportFlags flags, BlockPoolOptions poolOptions) {
        try {
            return new RdmaDevice(port, flags, poolOptions).start();
        } catch (Throwable e) {
            port.context().close();
            throw e;
        }
    }

    private RdmaDevice start() {
        DeviceFailure.prepare();
        dispatchers.start();
        events.start();
        try {
            queuePairs.prepare();
            return this;
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** {@return the registered memory: bytes written from it are not copied} */
    public BlockPool pool() {
        return pool;
    }

    /** {@return how many connections use RDMA now} */
    public int connections() {
        return directory.size();
    }

    /** {@return the open device} */
    public DeviceContext context() {
        return port.context();
    }

    /** {@return its dispatchers} */
    Dispatchers dispatchers() {
        return dispatchers;
    }

    /** {@return the factory of the RDMA halves of connections} */
    public RdmaEndpoints endpoints() {
        return endpoints;
    }

    /** Ends all connections, then closes everything, the device last. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        endpoints.close();
        isClosed = true;
        events.close();
        queuePairs.close();
        dispatchers.close();
        pool.close();
        protectionDomain.close();
        port.context().close();
    }

    @Override
    public String toString() {
        return port.toString();
    }
}
