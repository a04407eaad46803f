// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
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
 */
public final class DynamicPartitionChannel extends CombinedChannel implements AutoCloseable {
    /** The partitions of one number, and how many servers have them. */
    private record Choice(PartitionChannel partitions, int servers) {}

    private final RpcNode node;
    private final String url;
    private final IntFunction<PartitionChannel> opener;
    private final ReentrantLock lock = new ReentrantLock();

    /** By number of partitions; once opened, they stay open. Guarded by the lock. */
    private final Map<Integer, PartitionChannel> opened = new HashMap<>();

    /** Guarded by the lock. */
    private boolean isClosed;

    private volatile NamingService.Watch watch = () -> {};

    /** What the registry said last. */
    private volatile List<ServerNode> listed = List.of();

    private volatile List<Choice> choices = List.of();

    private DynamicPartitionChannel(
            RpcNode node, String url, IntFunction<PartitionChannel> opener) {
        this.node = node;
        this.url = url;
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
        DynamicPartitionChannel channel =
                new DynamicPartitionChannel(
                        node,
                        url,
                        count ->
                                settings.apply(
                                        PartitionChannel.open(
                                                node, url, balancer, count, options)));
        channel.watch = node.naming(url).watch(channel::onServers);
        try {
            channel.follow();
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    /** Called by registries: opening channels would keep them waiting. */
    private void onServers(List<ServerNode> servers) {
        listed = servers;
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
            List<Choice> found = new ArrayList<>();
            PartitionCount.complete(listed)
                    .forEach(
                            (count, servers) ->
                                    found.add(
                                            new Choice(
                                                    opened.computeIfAbsent(count, opener::apply),
                                                    servers)));
            // the last good list stays
            if (!found.isEmpty()) {
                choices = List.copyOf(found);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ClientCall newCall() {
        return node.controller();
    }

    @Override
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
        List<Choice> current = choices;
        if (current.isEmpty()) {
            int code = RpcError.ENODATA.code();
            call.outcome(code, "[E" + code + "]not all partitions have a server: " + url);
            Completion.run(done, method.responsePrototype());
            return;
        }
        choose(current).begin(method, request, call, done);
    }

    private static PartitionChannel choose(List<Choice> among) {
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
        lock.lock();
        try {
            isClosed = true;
            opened.values().forEach(PartitionChannel::close);
        } finally {
            lock.unlock();
        }
    }
}
