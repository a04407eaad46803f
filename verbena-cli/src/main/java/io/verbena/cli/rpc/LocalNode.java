// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.RpcNode;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlags;
import java.util.Properties;

/**
 * The RPC node of this process with all it stands on: device, memory and transport. Closing closes
 * them all; servers and channels are closed before. Any thread may call any method.
 */
public final class LocalNode implements AutoCloseable {
    private final RpcNode node;
    private final String device;
    private final AutoCloseable memory;

    private LocalNode(RpcNode node, String device, AutoCloseable memory) {
        this.node = node;
        this.device = device;
        this.memory = memory;
    }

    /**
     * {@return a node} With {@link SocketMode#TCP} no device is opened.
     *
     * @param mode what its connections may use
     * @param properties flags of the transport, the memory pool and RPC, by their names; others are
     *     ignored
     * @throws RuntimeException if the device cannot be had, or a flag has a value it may not have
     */
    public static LocalNode open(SocketMode mode, Properties properties) {
        TransportFlags flags = TransportFlags.of(properties);
        RpcFlags rpcFlags = RpcFlags.of(properties);
        BlockPoolOptions options =
                BlockPoolOptions.of(properties).withLeakTracking(LeakTracking.DISABLED);
        return switch (mode) {
            case TCP -> {
                BlockPool pool = BlockPool.unregistered(options);
                Transport transport = Transport.overTcp(pool, flags);
                yield new LocalNode(RpcNode.over(transport, rpcFlags), "", pool);
            }
            case RDMA -> {
                RdmaDomain domain = RdmaDomain.open(flags, options);
                Transport transport = Transport.over(domain, flags);
                yield new LocalNode(RpcNode.over(transport, rpcFlags), domain.deviceName(), domain);
            }
        };
    }

    /** {@return the node} */
    public RpcNode rpc() {
        return node;
    }

    /** {@return the name of the device; empty if only TCP is used} */
    public String device() {
        return device;
    }

    @Override
    public void close() {
        node.close();
        node.transport().close();
        try {
            memory.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("a pool and a domain throw nothing checked", e);
        }
    }
}
