// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * A {@link PartitionChannel} whose number of partitions may change; brpc's {@code
 * DynamicPartitionChannel}. Servers of three and of four partitions may be listed side by side, as
 * {@code 0/3} and {@code 0/4}. Each call is made on all partitions of one number, chosen in
 * proportion to how many servers it has; a number counts once each of its partitions has a server.
 * So a service moves to more partitions while it is used: start the new servers, stop the old ones.
 * The channels of a number that no server has any more are closed after a while, when their calls
 * have ended.
 */
public final class DynamicPartitionChannel extends CombinedChannel implements AutoCloseable {
    /** The channels to the partitions of one number; their gate counts the calls. */
    private record Partitions(PartitionChannel channel, ServerGate gate) {}

    /** A number that is complete, and how many servers have its partitions. */
    private record Choice(int count, Partitions partitions, int servers) {}

    private final RpcNode node;
    private final String url;
    private final ChannelOptions options;
    private final SharedWatch shared;
    private final IntFunction<PartitionChannel> opener;
    private final ReentrantLock lock = new ReentrantLock();

    /** By number of partitions, as long as servers are listed. Guarded by the lock. */
    private final Map<Integer, Partitions> opened = new HashMap<>();

    /** Whether numbers that are no longer listed will be looked for. Guarded by the lock. */
    private boolean isDropPlanned;

    /** Whether the latest list, which could not be filtered, will be. Guarded by the lock. */
    private boolean isFollowPlanned;

    /** How often it could not be filtered. Guarded by the lock. */
    private int filterFaults;

    /** Guarded by the lock. */
    private boolean isClosed;

    private volatile NamingService.Watch watch = () -> {};

    /** What the registry said last. */
    private volatile List<ServerNode> listed = List.of();

    private volatile List<Choice> choices = List.of();

    private DynamicPartitionChannel(
            RpcNode node,
            String url,
            ChannelOptions options,
            SharedWatch shared,
            IntFunction<PartitionChannel> opener) {
        this.node = node;
        this.url = url;
        this.options = options;
        this.shared = shared;
        this.opener = opener;
    }

    /**
     * {@return a channel to all partitions, however many there are} A call fails if one of them
     * does.
     *
     * @param node provides transport, connections and flags
     * @param url the address of a registry
     * @param balancer how to choose among the servers of a partition
     * @param options the settings of each partition's channel
     * @param settings called for each number of partitions; may set its mapper, merger and limit
     * @throws IllegalArgumentException if the registry or balancer is unknown, or options
     *     contradict each other
     */
    public static DynamicPartitionChannel open(
            RpcNode node,
            String url,
            String balancer,
            ChannelOptions options,
            UnaryOperator<PartitionChannel> settings) {
        Objects.requireNonNull(settings, "settings");
        options.check(node.clientProtocols().keySet());
        SharedWatch shared = SharedWatch.open(node.naming(url));
        DynamicPartitionChannel channel =
                new DynamicPartitionChannel(
                        node,
                        url,
                        options,
                        shared,
                        count ->
                                settings.apply(
                                        PartitionChannel.open(
                                                node, url, shared, balancer, count, options)));
        try {
            channel.watch = shared.watch("", channel::onServers);
            channel.follow();
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    /** Called by registries: opening channels would keep them waiting. */
    private void onServers(List<ServerNode> servers) {
        listed = servers;
        startFollowing();
    }

    private void startFollowing() {
        Thread.ofVirtual().name("verbena-partitions").start(this::tryFollow);
    }

    private void tryFollow() {
        try {
            follow();
        } catch (Throwable e) {
            Faults.warn(DynamicPartitionChannel.class, "partitions cannot be opened", url, e);
        }
    }

    private void follow() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            Optional<List<ServerNode>> callable = callable();
            if (callable.isEmpty()) {
                followLater();
                return;
            }
            filterFaults = 0;
            List<ServerNode> now = callable.get();
            List<Choice> found = new ArrayList<>();
            PartitionCount.complete(now)
                    .forEach(
                            (count, servers) ->
                                    found.add(
                                            new Choice(
                                                    count,
                                                    opened.computeIfAbsent(count, this::opened),
                                                    servers)));
            // the last good list stays
            if (!found.isEmpty()) {
                choices = List.copyOf(found);
            }
            if (!isDropPlanned && !used(now).containsAll(opened.keySet())) {
                isDropPlanned = true;
                dropLater();
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return the servers that calls may go to; nothing if the filter throws} */
    private Optional<List<ServerNode>> callable() {
        try {
            return Optional.of(listed.stream().filter(options.cluster().serverFilter()).toList());
        } catch (Throwable e) {
            Faults.warn(DynamicPartitionChannel.class, "servers cannot be filtered", url, e);
            return Optional.empty();
        }
    }

    /** A registry does not repeat a list that has not changed. */
    private void followLater() {
        if (isFollowPlanned) {
            return;
        }
        isFollowPlanned = true;
        filterFaults++;
        try {
            var _ =
                    node.chores()
                            .schedule(
                                    this::followAgain,
                                    PollingWatch.pauseMs(filterFaults),
                                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // the node is closed, and makes no more calls
            isFollowPlanned = false;
        }
    }

    private void followAgain() {
        lock.lock();
        try {
            isFollowPlanned = false;
        } finally {
            lock.unlock();
        }
        startFollowing();
    }

    private Partitions opened(int count) {
        return new Partitions(opener.apply(count), new ServerGate());
    }

    /** {@return the numbers that are called, or may soon be again} */
    private Set<Integer> used(List<ServerNode> servers) {
        Set<Integer> used = PartitionCount.listed(servers);
        choices.forEach(choice -> used.add(choice.count));
        return used;
    }

    /** Not at once: a registry that forgets servers for a moment must not cost connections. */
    private void dropLater() {
        try {
            var _ =
                    node.chores()
                            .schedule(
                                    this::drop,
                                    options.cluster().holdListSeconds(),
                                    TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            // the node is closed, and with it all connections
            isDropPlanned = false;
        }
    }

    private void drop() {
        lock.lock();
        try {
            isDropPlanned = false;
            if (!isClosed) {
                Set<Integer> used = used(callable().orElse(listed));
                opened.entrySet()
                        .removeIf(
                                each -> {
                                    boolean isDropped = !used.contains(each.getKey());
                                    if (isDropped) {
                                        closeWhenDone(each.getValue());
                                    }
                                    return isDropped;
                                });
            }
        } catch (Throwable e) {
            Faults.warn(DynamicPartitionChannel.class, "partitions cannot be closed", url, e);
        } finally {
            lock.unlock();
        }
    }

    /** Calls under way finish first. */
    private static void closeWhenDone(Partitions partitions) {
        partitions.gate.shut();
        Thread.ofVirtual()
                .name("verbena-partitions-close")
                .start(
                        () -> {
                            try {
                                partitions.gate.awaitDone();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            partitions.channel.close();
                        });
    }

    @Override
    int timeoutMs() {
        return options.timeoutMs();
    }

    @Override
    public ClientCall newCall() {
        return node.controller();
    }

    @Override
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
        Optional<Partitions> chosen = choose();
        if (chosen.isEmpty()) {
            int code = RpcError.ENODATA.code();
            call.outcome(code, "[E" + code + "]not all partitions have a server: " + url);
            CallNotifier.run(done, method.responsePrototype());
            return;
        }
        Partitions partitions = chosen.get();
        partitions.channel.begin(method, request, call, done, partitions.gate::leave);
    }

    /** {@return partitions whose gate the call has entered; nothing if there are none} */
    private Optional<Partitions> choose() {
        while (true) {
            List<Choice> current = choices;
            if (current.isEmpty()) {
                return Optional.empty();
            }
            Partitions chosen = choose(current);
            if (chosen.gate.enter() != ServerGate.REFUSED) {
                return Optional.of(chosen);
            }
            // the choices were others before the gate was shut: these are old
        }
    }

    private static Partitions choose(List<Choice> among) {
        int servers = among.stream().mapToInt(Choice::servers).sum();
        int place = ThreadLocalRandom.current().nextInt(servers);
        int last = 0;
        while (place >= among.get(last).servers) {
            place -= among.get(last).servers;
            last++;
        }
        return among.get(last).partitions;
    }

    /** Closes the channels of all partitions. */
    @Override
    public void close() {
        watch.close();
        shared.close();
        lock.lock();
        try {
            isClosed = true;
            opened.values().forEach(each -> each.channel.close());
        } finally {
            lock.unlock();
        }
    }
}
