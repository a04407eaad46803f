// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ClusterStatus;
import io.verbena.rpc.spi.ClusterStatus.Member;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The servers that a registry lists; a balancer chooses among them. A new list replaces the one
 * before in one step, so calls never wait for it. If the registry or the balancer fails, or the
 * registry lists no server at all, the last good list stays; also for a while if most servers are
 * suddenly missing. A list that cannot be used is tried again, until the registry has another.
 */
final class BalancedServers implements ServerSelector, NamingService.Listener {
    private final String name;
    private final ChannelOptions options;
    private final LoadBalancer balancer;

    /** For the preferred servers: a balancer keeps what it knows of one list. */
    private final LoadBalancer preferredBalancer;

    private final Preference preference;
    private final ClusterRecovery recovery;
    private final long slowStartNs;
    private final RemoteServers remotes;

    /** Receives each server that the registry no longer lists. */
    private final Retirement retirement;

    private final ScheduledExecutorService chores;

    /** All of the node, this one until it is closed. */
    private final Set<BalancedServers> open;

    /** Guards changes of the list. */
    private final ReentrantLock lock = new ReentrantLock();

    private final NamingHealth health;
    private final SuddenLoss loss;

    /** The latest list, if it is too short to be believed. Guarded by the lock. */
    private Optional<List<ServerNode>> doubted = Optional.empty();

    /** How many times a list was not believed at first. Guarded by the lock. */
    private int doubts;

    /** Whether the registry's latest word was a list with servers. Guarded by the lock. */
    private boolean isAnswering;

    /** The latest list, if it could not be used and is to be tried again. Guarded by the lock. */
    private Optional<List<ServerNode>> failed = Optional.empty();

    /** How often that list could not be used. Guarded by the lock. */
    private int faults;

    /** Connects to servers, if the protocol has connections of its own. Guarded by the lock. */
    private Consumer<InetSocketAddress> connector = server -> {};

    private volatile ServerList list = ServerList.EMPTY;
    private volatile NamingService.Watch watch = () -> {};
    private boolean isClosed;

    BalancedServers(
            String name,
            ChannelOptions options,
            Supplier<LoadBalancer> balancers,
            RemoteServers remotes,
            Retirement retirement,
            ScheduledExecutorService chores,
            Set<BalancedServers> open) {
        this.open = open;
        this.name = name;
        this.options = options;
        ClusterOptions cluster = options.cluster();
        this.balancer = balancers.get();
        this.preferredBalancer = balancers.get();
        this.preference = new Preference(cluster);
        this.recovery =
                new ClusterRecovery(
                        cluster.minWorkingServers(), cluster.holdSeconds(), System::nanoTime);
        this.slowStartNs = TimeUnit.MILLISECONDS.toNanos(cluster.slowStartMs());
        this.remotes = remotes;
        this.retirement = retirement;
        this.chores = chores;
        this.health = new NamingHealth(name);
        this.loss = new SuddenLoss(cluster.holdListSeconds(), System::nanoTime);
    }

    /**
     * Begins to follow a registry.
     *
     * @throws IllegalArgumentException if the name is not valid there
     */
    void watch(NamedServers servers) {
        open.add(this);
        try {
            watch = servers.watch(this);
        } catch (Throwable e) {
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

    ClusterStatus status() {
        return new ClusterStatus(
                name,
                problem(),
                Arrays.stream(list.targets())
                        .map(target -> new Member(target.node(), target.isAvailable()))
                        .toList());
    }

    /** Called by registries, which are foreign code: never throws. */
    @Override
    public void onServers(List<ServerNode> servers) {
        lock.lock();
        try {
            if (!isClosed) {
                faults = 0;
                isAnswering = true;
                use(servers);
            }
        } finally {
            lock.unlock();
        }
    }

    private void use(List<ServerNode> servers) {
        try {
            // an older list is of no use any more
            failed = failed.map(_ -> servers);
            List<ServerNode> usable = distinct(servers);
            if (usable.isEmpty() && !list.isEmpty()) {
                beginOutage();
                health.bad("the registry lists no server", list.targets().length);
                return;
            }
            applyIfBelieved(usable);
            faults = 0;
        } catch (Throwable e) {
            noteFault(e);
            useLater(servers);
        }
    }

    /** A registry does not repeat a list that has not changed. */
    private void useLater(List<ServerNode> servers) {
        faults++;
        boolean isPlanned = failed.isPresent();
        // there is none if the registry is at fault
        failed = Optional.ofNullable(servers);
        if (isPlanned || failed.isEmpty()) {
            return;
        }
        try {
            var _ =
                    chores.schedule(
                            this::useAgain, PollingWatch.pauseMs(faults), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // the node is closed, and makes no more calls
            failed = Optional.empty();
        }
    }

    private void useAgain() {
        lock.lock();
        try {
            if (!isClosed && failed.isPresent()) {
                List<ServerNode> servers = failed.get();
                failed = Optional.empty();
                use(servers);
            }
        } finally {
            lock.unlock();
        }
    }

    private void applyIfBelieved(List<ServerNode> servers) {
        int used = list.targets().length;
        if (loss.isBelieved(servers.size(), used)) {
            doubted = Optional.empty();
            apply(servers);
            // a list of before an outage may be used in it, but does not end it
            if (isAnswering) {
                health.good(list.targets().length);
            }
            return;
        }
        if (!isAnswering) {
            // the next list decides
            beginOutage();
            return;
        }
        if (doubted.isEmpty()) {
            doubts++;
            believeLater(doubts);
        }
        doubted = Optional.of(servers);
        health.bad("the registry lists only " + servers.size() + " servers", used);
    }

    private void believeLater(int doubt) {
        try {
            var _ =
                    chores.schedule(
                            () -> believe(doubt),
                            options.cluster().holdListSeconds(),
                            TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            // the node is closed, and makes no more calls
            doubted = Optional.empty();
        }
    }

    /** The servers had time to come back. */
    private void believe(int doubt) {
        lock.lock();
        try {
            if (!isClosed && doubt == doubts && doubted.isPresent()) {
                List<ServerNode> servers = doubted.get();
                doubted = Optional.empty();
                use(servers);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        lock.lock();
        try {
            beginOutage();
            health.bad(cause, list.targets().length);
        } catch (Throwable e) {
            Faults.warn(BalancedServers.class, "the registry fails", name, cause);
        } finally {
            lock.unlock();
        }
    }

    /** While the registry is away, no server can come back: what was doubted stays unused. */
    private void beginOutage() {
        isAnswering = false;
        doubted = Optional.empty();
        loss.beginOutage();
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
            if (options.cluster().serverFilter().test(server)) {
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
        List<ServerNode> preferred = preference.of(servers);
        LoadBalancer.Picker picker = balancer.picker(servers);
        boolean hasPreference = preferred.size() < servers.size();
        LoadBalancer.Picker preferredPicker =
                hasPreference ? preferredBalancer.picker(preferred) : picker;
        Map<ServerNode, Target> old = HashMap.newHashMap(list.targets().length);
        for (Target target : list.targets()) {
            old.put(target.node().identity(), target);
        }
        Target[] changed = new Target[servers.size()];
        List<Target> acquired = new ArrayList<>();
        try {
            for (int i = 0; i < changed.length; i++) {
                ServerNode server = servers.get(i);
                Target known = old.remove(server.identity());
                changed[i] =
                        (known != null ? known : added(server, acquired))
                                .listedAs(server, picker, i);
            }
            list =
                    new ServerList(
                            servers,
                            changed,
                            picker,
                            hasPreference ? part(preferred, changed, preferredPicker) : null);
        } catch (Throwable e) {
            acquired.forEach(target -> target.release(remotes));
            throw e;
        }
        old.values().forEach(retirement::add);
        acquired.forEach(target -> connector.accept(target.node().address()));
    }

    private Target added(ServerNode server, List<Target> acquired) {
        Target target = Target.of(server, options, remotes);
        acquired.add(target);
        if (!list.isEmpty()) {
            target.warmUp().begin();
        }
        if (options.cluster().isEager() && options.protocol().equals(ChannelOptions.BAIDU_STD)) {
            // whether it works is what the first call would find out, too
            var _ =
                    target.server()
                            .connect(options.connectionType(), options.connectTimeoutMs())
                            .exceptionally(fault -> null);
        }
        return target;
    }

    private static ServerList part(
            List<ServerNode> nodes, Target[] all, LoadBalancer.Picker picker) {
        Map<ServerNode, Target> byNode = HashMap.newHashMap(all.length);
        for (Target target : all) {
            byNode.put(target.node(), target);
        }
        Target[] targets = new Target[nodes.size()];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = byNode.get(nodes.get(i)).listedAs(nodes.get(i), picker, i);
        }
        return new ServerList(nodes, targets, picker, null);
    }

    @Override
    public Target select(PendingCall call) {
        ServerList current = list;
        if (!recovery.isAdmitted(current.targets())) {
            throw new RpcException(
                    RpcError.EREJECT.code(), "the servers of " + name + " are recovering");
        }
        Target chosen = null;
        if (current.preferred() != null) {
            chosen = pick(current.preferred(), call);
        }
        if (chosen == null) {
            chosen = pick(current, call);
        }
        if (chosen == null && !current.isEmpty()) {
            chosen = pickAny(current, call);
        }
        return chosen;
    }

    private Target pick(ServerList from, PendingCall call) {
        return pick(from, call.context.over(from.targets(), slowStartNs));
    }

    /** A server that has failed before, or is cold, is better than none. */
    private Target pickAny(ServerList from, PendingCall call) {
        Target chosen = null;
        if (slowStartNs > 0 || !call.tried.isEmpty()) {
            chosen = pick(from, call.context.overAny(from.targets()));
        }
        if (chosen == null) {
            recovery.begin();
        }
        return chosen;
    }

    private static Target pick(ServerList from, TryContext context) {
        try {
            int index = from.picker().select(context);
            return index == LoadBalancer.NONE ? null : from.targets()[index];
        } catch (IllegalArgumentException e) {
            throw new RpcException(RpcError.EINVAL.code(), Faults.describe("no server", e));
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(list.targets());
    }

    @Override
    public void onLeave(Consumer<InetSocketAddress> listener) {
        retirement.onLeave(listener);
    }

    @Override
    public void onJoin(Consumer<InetSocketAddress> listener) {
        if (!options.cluster().isEager()) {
            return;
        }
        lock.lock();
        try {
            connector = listener;
            for (Target target : list.targets()) {
                listener.accept(target.node().address());
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public TryFailure noServer() {
        return isEmpty()
                ? TryFailure.of(RpcError.ENODATA, "no server found for " + name)
                : TryFailure.of(RpcError.EHOSTDOWN, "no server of " + name + " can be reached");
    }

    @Override
    public void close() {
        open.remove(this);
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
        retirement.close();
    }
}
