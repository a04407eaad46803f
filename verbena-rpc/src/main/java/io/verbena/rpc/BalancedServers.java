// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The servers that a registry lists; a balancer chooses among them. */
final class BalancedServers implements ServerSelector, NamingService.Listener {
    private static final Target[] NONE = {};

    private final String name;
    private final ChannelOptions options;
    private final LoadBalancer balancer;
    private final RemoteServers remotes;

    /**
     * Receives each server that the registry no longer lists; calls to it may still be under way.
     */
    private final Consumer<Target> retirement;

    private final ReentrantLock lock = new ReentrantLock();
    private volatile Target[] targets = NONE;
    private volatile NamingService.Watch watch = () -> {};
    private boolean isClosed;

    BalancedServers(
            String name,
            ChannelOptions options,
            LoadBalancer balancer,
            RemoteServers remotes,
            Consumer<Target> retirement) {
        this.name = name;
        this.options = options;
        this.balancer = balancer;
        this.remotes = remotes;
        this.retirement = retirement;
    }

    void watchedBy(NamingService.Watch handle) {
        watch = handle;
    }

    boolean isEmpty() {
        return targets.length == 0;
    }

    @Override
    public void onServers(List<ServerNode> servers) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            Map<ServerNode, Target> old = new HashMap<>();
            for (Target target : targets) {
                old.put(target.node(), target);
            }
            Target[] changed = new Target[servers.size()];
            for (int i = 0; i < changed.length; i++) {
                Target known = old.remove(servers.get(i));
                changed[i] = known != null ? known : Target.of(servers.get(i), options, remotes);
            }
            balancer.onServers(List.copyOf(servers));
            targets = changed;
            old.values().forEach(retirement);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Target select(PendingCall call) {
        Target[] current = targets;
        int index = balancer.select(new Seen(current, call.tried));
        if (index == LoadBalancer.NONE && !call.tried.isEmpty()) {
            // a server that has failed before is better than none
            index = balancer.select(new Seen(current, TriedServers.NOTHING));
        }
        return index == LoadBalancer.NONE ? null : current[index];
    }

    @Override
    public List<Target> targets() {
        return List.of(targets);
    }

    @Override
    public TryFailure noServer() {
        return isEmpty()
                ? TryFailure.of(RpcError.ENODATA, "no server found for " + name)
                : TryFailure.of(RpcError.EHOSTDOWN, "no server of " + name + " can be reached");
    }

    @Override
    public void onFeedback(Target target, long latencyNs, int errorCode) {
        balancer.onFeedback(target.node(), latencyNs, errorCode);
    }

    @Override
    public void close() {
        watch.close();
        lock.lock();
        try {
            isClosed = true;
            for (Target target : targets) {
                target.release(remotes);
            }
            targets = NONE;
        } finally {
            lock.unlock();
        }
    }

    /** The servers as one try sees them. */
    private static final class Seen implements LoadBalancer.Candidates {
        private final Target[] targets;
        private final TriedServers tried;

        Seen(Target[] targets, TriedServers tried) {
            this.targets = targets;
            this.tried = tried;
        }

        @Override
        public int size() {
            return targets.length;
        }

        @Override
        public ServerNode server(int index) {
            return targets[index].node();
        }

        @Override
        public boolean isAvailable(int index) {
            Target target = targets[index];
            return target.server().isReachable() && !tried.contains(target.node());
        }
    }
}
