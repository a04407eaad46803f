// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The servers that a registry lists; a balancer chooses among them. A new list replaces the one
 * before in one step, so calls never wait for it. If the registry or the balancer fails, or the
 * registry lists no server at all, the last good list stays.
 */
final class BalancedServers implements ServerSelector, NamingService.Listener {
    private final String name;
    private final ChannelOptions options;
    private final LoadBalancer balancer;
    private final RemoteServers remotes;

    /**
     * Receives each server that the registry no longer lists; calls to it may still be under way.
     */
    private final Consumer<Target> retirement;

    /** Guards changes of the list. */
    private final ReentrantLock lock = new ReentrantLock();

    private final NamingHealth health;
    private volatile ServerList list = ServerList.EMPTY;
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
        this.health = new NamingHealth(name);
    }

    /**
     * Begins to follow a registry.
     *
     * @throws IllegalArgumentException if the name is not valid there
     */
    void watch(NamedServers servers) {
        try {
            watch = servers.watch(this);
        } catch (IllegalArgumentException e) {
            close();
            throw e;
        }
    }

    boolean isEmpty() {
        return list.isEmpty();
    }

    /** {@return why the list may be out of date; empty if it is not} */
    String problem() {
        return health.problem();
    }

    /** Called by registries, which are foreign code: never throws. */
    @Override
    public void onServers(List<ServerNode> servers) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (servers.isEmpty() && !list.isEmpty()) {
                health.bad("the registry lists no server", list.targets().length);
                return;
            }
            apply(distinct(servers));
            health.good(list.targets().length);
        } catch (Throwable e) {
            noteFault(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        lock.lock();
        try {
            health.bad(cause, list.targets().length);
        } catch (Throwable e) {
            Faults.warn(BalancedServers.class, "the registry fails", name, cause);
        } finally {
            lock.unlock();
        }
    }

    private void noteFault(Throwable fault) {
        Faults.warn(BalancedServers.class, "a list of servers cannot be used", name, fault);
        try {
            health.bad(fault, list.targets().length);
        } catch (Throwable e) {
            Faults.warn(BalancedServers.class, "a list of servers cannot be used", name, e);
        }
    }

    /** The same server listed twice is one server. */
    private List<ServerNode> distinct(List<ServerNode> servers) {
        Map<ServerNode, ServerNode> distinct = LinkedHashMap.newLinkedHashMap(servers.size());
        for (ServerNode server : servers) {
            if (options.serverFilter().test(server)) {
                distinct.putIfAbsent(server.identity(), server);
            }
        }
        return List.copyOf(distinct.values());
    }

    private void apply(List<ServerNode> servers) {
        if (servers.equals(list.nodes())) {
            return;
        }
        // foreign code first: if it throws, nothing has changed
        LoadBalancer.Picker picker = balancer.picker(servers);
        Map<ServerNode, Target> old = HashMap.newHashMap(list.targets().length);
        for (Target target : list.targets()) {
            old.put(target.node().identity(), target);
        }
        Target[] changed = new Target[servers.size()];
        for (int i = 0; i < changed.length; i++) {
            ServerNode server = servers.get(i);
            Target known = old.remove(server.identity());
            changed[i] =
                    (known != null ? known : Target.of(server, options, remotes))
                            .listedAs(server, picker, i);
        }
        list = new ServerList(servers, changed, picker);
        old.values().forEach(retirement);
    }

    @Override
    public Target select(PendingCall call) {
        ServerList current = list;
        int index = pick(current, call.context.over(current.targets(), true));
        if (index == LoadBalancer.NONE && !call.tried.isEmpty()) {
            // a server that has failed before is better than none
            index = pick(current, call.context.over(current.targets(), false));
        }
        return index == LoadBalancer.NONE ? null : current.targets()[index];
    }

    private static int pick(ServerList list, TryContext context) {
        try {
            return list.picker().select(context);
        } catch (IllegalArgumentException e) {
            throw new RpcException(RpcError.EINVAL.code(), Faults.describe("no server", e));
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(list.targets());
    }

    @Override
    public TryFailure noServer() {
        return isEmpty()
                ? TryFailure.of(RpcError.ENODATA, "no server found for " + name)
                : TryFailure.of(RpcError.EHOSTDOWN, "no server of " + name + " can be reached");
    }

    @Override
    public void close() {
        try {
            watch.close();
        } catch (Throwable e) {
            Faults.warn(BalancedServers.class, "a watch cannot be closed", name, e);
        }
        lock.lock();
        try {
            isClosed = true;
            for (Target target : list.targets()) {
                target.release(remotes);
            }
            list = ServerList.EMPTY;
        } finally {
            lock.unlock();
        }
    }
}
