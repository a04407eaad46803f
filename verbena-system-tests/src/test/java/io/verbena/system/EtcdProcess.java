// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.testing.FreePort;
import io.verbena.testing.RunningProcess;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** etcd, from Debian's package etcd-server. */
final class EtcdProcess implements RegistryProcess {
    static final Path PROGRAM = Path.of("/usr/bin/etcd");

    private final Path folder;
    private final RegistryHost host;
    private final int port;
    private final int peerPort;
    private RunningProcess process;

    EtcdProcess(Path folder, RegistryHost host) throws IOException {
        this.folder = folder;
        this.host = host;
        this.port = FreePort.choose();
        this.peerPort = FreePort.choose();
    }

    static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    @Override
    public String url(String name) {
        return "etcd://" + host.address() + ":" + port + "/" + name + "?lease_ms=2000";
    }

    @Override
    public void start() throws InterruptedException {
        String clients = "http://" + host.address() + ":" + port;
        String peers = "http://" + host.address() + ":" + peerPort;
        List<String> command = new ArrayList<>(host.prefix());
        command.addAll(
                List.of(
                        PROGRAM.toString(),
                        "--data-dir=" + folder,
                        "--listen-client-urls=" + clients,
                        "--advertise-client-urls=" + clients,
                        "--listen-peer-urls=" + peers,
                        "--initial-advertise-peer-urls=" + peers,
                        "--initial-cluster=default=" + peers));
        process = RunningProcess.start(ClusterServer.PATIENCE, command);
        process.awaitThat("healthy", () -> isHealthy(clients));
    }

    private static boolean isHealthy(String clients) {
        try {
            HttpURLConnection health =
                    (HttpURLConnection) URI.create(clients + "/health").toURL().openConnection();
            return health.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void kill() throws InterruptedException {
        process.kill();
        process.awaitExit();
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
