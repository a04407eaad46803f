// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.rpc.RpcNode;
import io.verbena.tools.LocalNode;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.util.Properties;

/** The node of either process of the demonstration, with flags from the system properties. */
final class DemoNode {
    private DemoNode() {}

    /**
     * {@return the node, opened}
     *
     * @param device the name of the device; if empty, the transport chooses
     */
    static RpcNode open(String device) {
        Properties properties = new Properties();
        properties.putAll(System.getProperties());
        if (!device.isEmpty()) {
            properties.setProperty(TransportFlag.RDMA_DEVICE.flagName(), device);
        }
        return LocalNode.open(SocketMode.RDMA, properties);
    }
}
