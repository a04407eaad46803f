// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.zookeeper;

import io.verbena.naming.ListedServers;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.state.ConnectionStateListener;

/**
 * Waits for changes of a node's children, as Curator's cache sees them. A list is reported when the
 * cache has heard everything, or a list was reported before; not while there is no connection. For
 * the thread of a watch.
 */
final class ChildrenLookup implements PollingWatch.Lookup, AutoCloseable {
    private static final long FIRST_WAIT_MS = 3000;
    private static final long LONGEST_WAIT_MS = 5000;

    private final CuratorFramework client;
    private final String path;
    private final CuratorCache cache;
    private final ListedServers listed = new ListedServers();
    private final ConnectionStateListener onState = (_, _) -> changed();

    /** Has a permit if something has changed since the cache was last read. */
    private final Semaphore changes = new Semaphore(0);

    private final CountDownLatch initialized = new CountDownLatch(1);
    private List<ServerNode> servers = List.of();
    private boolean hasServers;

    ChildrenLookup(CuratorFramework client, String path) {
        this.client = client;
        this.path = path;
        this.cache = CuratorCache.build(client, path);
        client.getConnectionStateListenable().addListener(onState);
        cache.listenable()
                .addListener(
                        CuratorCacheListener.builder()
                                .forAll((_, _, _) -> changed())
                                .forInitialized(
                                        () -> {
                                            // in this order: whoever saw the latch finds a permit
                                            changed();
                                            initialized.countDown();
                                        })
                                .build());
        cache.start();
    }

    private void changed() {
        changes.release();
    }

    @Override
    public List<ServerNode> find() throws IOException, InterruptedException {
        awaitInitialized();
        boolean isChanged = changes.tryAcquire(LONGEST_WAIT_MS, TimeUnit.MILLISECONDS);
        // one list for all changes until now
        changes.drainPermits();
        if (!client.getZookeeperClient().isConnected()) {
            // the list is read again when the connection is back, even if nothing has changed
            hasServers = false;
            throw new IOException("no connection to ZooKeeper");
        }
        if (isChanged || !hasServers) {
            servers = listed.read(children());
            hasServers = true;
        }
        return servers;
    }

    private void awaitInitialized() throws IOException, InterruptedException {
        if (!initialized.await(FIRST_WAIT_MS, TimeUnit.MILLISECONDS)) {
            throw new IOException("ZooKeeper has not listed the children of " + path);
        }
    }

    private Map<String, String> children() {
        Map<String, String> nodes = new HashMap<>();
        int start = path.length() + 1;
        cache.stream()
                .filter(node -> node.getPath().length() > start)
                .filter(node -> node.getPath().indexOf('/', start) < 0)
                .forEach(node -> nodes.put(node.getPath().substring(start), text(node.getData())));
        return nodes;
    }

    private static String text(byte[] data) {
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        client.getConnectionStateListenable().removeListener(onState);
        cache.close();
    }
}
