// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.testing.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
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
    private final int port;
    private ChildJvm child;

    ZooKeeperProcess(Path folder) throws IOException {
        this.folder = folder;
        this.port = RegistryProcess.freePort();
    }

    /**
     * Runs a server until it is killed.
     *
     * @param args folder and port
     */
    public static void main(String[] args) throws Exception {
        File folder = new File(args[0]);
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
        ServerCnxnFactory factory = ServerCnxnFactory.createFactory(address, CONNECTIONS);
        factory.startup(new ZooKeeperServer(folder, folder, TICK_MS));
        System.out.println("ready");
        factory.join();
    }

    @Override
    public String url(String name) {
        return "zk://127.0.0.1:" + port + "/" + name + "?session_ms=2000";
    }

    @Override
    public void start() throws InterruptedException {
        child =
                ChildJvm.start(
                        ClusterServer.PATIENCE, List.of(), ZooKeeperProcess.class, folder, port);
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
