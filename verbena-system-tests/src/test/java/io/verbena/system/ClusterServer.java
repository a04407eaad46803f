// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.testing.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A server of a disturbed cluster in a small JVM of its own, always on the same port. One thread.
 */
final class ClusterServer implements AutoCloseable {
    static final List<String> SMALL =
            List.of("-Xmx32m", "-Xss256k", "-XX:ReservedCodeCacheSize=16m");

    /** So many JVMs share a machine: one may take its time. */
    static final Duration PATIENCE = Duration.ofMinutes(3);

    /** The names in registries. */
    private final List<String> urls;

    private int port;
    private ChildJvm jvm;

    private ClusterServer(List<String> urls) {
        this.urls = urls;
        begin();
    }

    /** {@return a server that is starting} */
    static ClusterServer starting(List<String> urls) {
        return new ClusterServer(urls);
    }

    private void begin() {
        List<Object> arguments = new ArrayList<>(urls);
        arguments.addFirst(port);
        jvm = ChildJvm.start(PATIENCE, SMALL, ClusterServerProgram.class, arguments.toArray());
    }

    void awaitListening() throws InterruptedException {
        String line = jvm.line();
        // what it logs goes to the same place
        while (!line.startsWith(ClusterServerProgram.LISTENING)) {
            line = jvm.line();
        }
        port = Integer.parseInt(line.substring(ClusterServerProgram.LISTENING.length()));
    }

    int port() {
        return port;
    }

    void kill() throws InterruptedException {
        jvm.kill();
    }

    /** Has it leave the registry and end. */
    void drain() throws InterruptedException {
        jvm.finish();
    }

    void restart() throws InterruptedException {
        jvm.close();
        begin();
        awaitListening();
    }

    void halt() throws InterruptedException {
        jvm.halt();
    }

    void goOn() throws InterruptedException {
        jvm.goOn();
    }

    /** Every call takes at least that long from now on. */
    void slowDownTo(int delayMs) {
        jvm.tell(Integer.toString(delayMs));
    }

    @Override
    public void close() {
        jvm.close();
    }
}
