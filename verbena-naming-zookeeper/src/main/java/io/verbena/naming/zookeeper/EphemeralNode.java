// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.zookeeper;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node that goes with its session, and is created again in each new one; also if somebody else
 * deletes it. That is what Curator calls a persistent node. Any thread.
 */
final class EphemeralNode implements NamingService.Registration {
    private static final Logger LOG = LoggerFactory.getLogger(EphemeralNode.class);
    private static final Duration LAST_WAIT = Duration.ofSeconds(5);

    private final CuratorFramework client;
    private final PersistentNode node;
    private final String path;
    private final Runnable release;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private EphemeralNode(
            CuratorFramework client, PersistentNode node, String path, Runnable release) {
        this.client = client;
        this.path = path;
        this.node = node;
        this.release = release;
    }

    /**
     * {@return a node that exists, if that did not take long}
     *
     * @param release called when it is closed
     */
    static EphemeralNode create(
            CuratorFramework client, String path, byte[] data, Runnable release) {
        PersistentNode node = new PersistentNode(client, CreateMode.EPHEMERAL, false, path, data);
        node.start();
        try {
            boolean isCreated =
                    node.waitForInitialCreate(
                            PollingWatch.FIRST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
            if (!isCreated) {
                LOG.warn("{}: cannot be created yet, trying again", path);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new EphemeralNode(client, node, path, release);
    }

    @Override
    public boolean isListed() {
        return !isClosed.get()
                && node.getActualPath() != null
                && client.getZookeeperClient().isConnected();
    }

    /** Curator tries for longer than a server wants to wait: that is left to a thread. */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        Thread closer =
                Thread.ofPlatform().daemon().name("verbena-announce-zk-close").start(this::delete);
        try {
            boolean _ = closer.join(LAST_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void delete() {
        try {
            node.close();
        } catch (IOException e) {
            LOG.warn("{}: ZooKeeper will drop the node by itself: {}", path, e.toString());
        } finally {
            release.run();
        }
    }
}
