// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** ZooKeeper's own server, from its jar. */
public final class ZooKeeperProcess implements RegistryProcess {
    /** The shortest session is two ticks. */
    private static final int TICK_MS = 500;

    private static final int CONNECTIONS = 100;

    private final Path folder;
    private final RegistryHost host;
    private final int port;
    private ChildJvm child;

    ZooKeeperProcess(Path folder, RegistryHost host) throws IOException {
        this.folder = folder;
        this.host = host;
        this.port = FreePort.choose();
    }

    /**
     * Runs a server until it is killed.
     *
     * @param args folder, address and port
     */
    public static void main(String[] args) throws Exception {
        File folder = new File(args[0]);
        InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        ServerCnxnFactory factory = ServerCnxnFactory.createFactory(address, CONNECTIONS);
        factory.startup(new ZooKeeperServer(folder, folder, TICK_MS));
        System.out.println("ready");
        factory.join();
    }

    @Override
    public String url(String name) {
        return "zk://" + host.address() + ":" + port + "/" + name + "?session_ms=2000";
    }

    @Override
    public void start() throws InterruptedException {
        child =
                ChildJvm.startWith(
                        host.prefix(),
                        ClusterServer.PATIENCE,
                        List.of(),
                        ZooKeeperProcess.class,
                        folder,
                        host.address(),
                        port);
        String line = child.line();
        // what it logs goes to the same place
        while (!line.equals("ready")) {
            line = child.line();
        }
    }

    @Override
    public void kill() throws InterruptedException {
        child.kill();
    }

    @Override
    public long pid() {
        return child.pid();
    }

    @Override
    public void close() {
        if (child != null) {
            child.close();
        }
    }
}
