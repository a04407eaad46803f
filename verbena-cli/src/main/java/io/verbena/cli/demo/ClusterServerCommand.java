// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.ChildServer;
import io.verbena.tools.EchoResponder;
import io.verbena.tools.LocalNode;
import io.verbena.tools.ParentWatch;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A server process of {@code verbena cluster demo}; only that and tests start it. */
@Command(
        name = "cluster-server",
        hidden = true,
        description = "A server process of the cluster demo.")
public final class ClusterServerCommand implements Callable<Integer> {
    /** Clients learn of a change in a file within a tenth of a second. */
    private static final Duration NOTICE = Duration.ofMillis(500);

    private static final Duration LIMIT = Duration.ofSeconds(1);

    @Option(names = "--registry", paramLabel = "URL", required = true)
    private String registry;

    @Option(names = "--tag", paramLabel = "TAG")
    private String tag = "";

    @Option(names = "--port", paramLabel = "PORT")
    private int port = 0;

    /** A command that picocli fills in and runs. */
    public ClusterServerCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (RpcNode node = LocalNode.open(SocketMode.TCP, System.getProperties());
                Server server = new Server(node)) {
            server.add(new EchoResponder())
                    .start(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                            ServerOptions.DEFAULT);
            server.announce(registry, tag);
            System.out.println(ChildServer.LISTENING + server.address().getPort());
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // asked to end: nobody shall notice
                server.drain(NOTICE, LIMIT);
            }
        }
        return 0;
    }
}
