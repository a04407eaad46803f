// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.rpc.RpcNode;
import io.verbena.transport.SocketMode;
import java.util.Properties;

/** Opens the RPC node of a measuring program: leak tracking is off unless a flag turns it on. */
public final class LocalNode {
    private LocalNode() {}

    /**
     * {@return a node}
     *
     * @param mode what its connections may use
     * @param properties flags of the transport, the memory pool and RPC, by name; others are
     *     ignored
     * @throws RuntimeException if the device cannot be opened, or a flag has a value out of range
     */
    public static RpcNode open(SocketMode mode, Properties properties) {
        Properties flags = new Properties();
        flags.putAll(properties);
        flags.putIfAbsent(BlockPoolOptions.LEAK_TRACKING, LeakTracking.DISABLED.name());
        return RpcNode.open(mode, flags);
    }
}
