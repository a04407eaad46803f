// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.DeviceOption;
import io.verbena.tools.EchoResponder;
import io.verbena.tools.ParentWatch;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The server process of {@code verbena demo}; only that starts it. */
@Command(name = "demo-server", hidden = true, description = "The server process of the demo.")
public final class DemoServerCommand implements Callable<Integer> {
    /** What it prints before its port. */
    static final String ANNOUNCEMENT = "demo server listens on port ";

    @Mixin private DeviceOption device;

    /** A command that picocli fills in and runs. */
    public DemoServerCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (RpcNode node = DemoNode.open(device.name());
                Server server = new Server(node)) {
            server.add(new EchoResponder())
                    .add(new StateResponder(server, node.pool()))
                    .start(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            System.out.println(ANNOUNCEMENT + server.address().getPort());
            // ends with its parent
            new CountDownLatch(1).await();
        }
        return 0;
    }
}
