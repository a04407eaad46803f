// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.ServerNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Makes each call on every partition of a service, and merges the responses; brpc's {@code
 * PartitionChannel}. The tag of a server says which partition it has: the word {@code 0/3} in it is
 * the first of three. A partition may have several servers, among which a balancer chooses.
 */
public final class PartitionChannel extends CombinedChannel implements AutoCloseable {
    private final ParallelChannel all;
    private final List<Channel> partitions;

    /** Ends what the channels watch. */
    private final Runnable unwatch;

    private PartitionChannel(List<Channel> partitions, ParallelChannel all, Runnable unwatch) {
        super(partitions);
        this.partitions = partitions;
        this.all = all;
        this.unwatch = unwatch;
    }

    /**
     * {@return a channel to all partitions} A call fails if one of them does.
     *
     * @param node provides transport, connections and flags
     * @param url the address of a registry
     * @param balancer how to choose among the servers of a partition
     * @param count how many partitions there are; servers with another number are ignored
     * @param options the settings of each partition's channel
     * @throws IllegalArgumentException if the registry or balancer is unknown, or options
     *     contradict each other
     */
    public static PartitionChannel open(
            RpcNode node, String url, String balancer, int count, ChannelOptions options) {
        Options.require(count >= 1, "partitions", count, ">= 1");
        options.check(node.clientProtocols().keySet());
        SharedWatch watch = SharedWatch.open(node.naming(url));
        try {
            return open(node, url, watch, balancer, count, options, watch::close);
        } catch (Throwable e) {
            watch.close();
            throw e;
        }
    }

    /** {@return a channel to all partitions that follows a watch, which it does not close} */
    static PartitionChannel open(
            RpcNode node,
            String url,
            SharedWatch watch,
            String balancer,
            int count,
            ChannelOptions options) {
        return open(node, url, watch, balancer, count, options, () -> {});
    }

    private static PartitionChannel open(
            RpcNode node,
            String url,
            SharedWatch watch,
            String balancer,
            int count,
            ChannelOptions options,
            Runnable unwatch) {
        List<Channel> partitions = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ChannelOptions own = only(PartitionCount.having(i, count), options);
                partitions.add(
                        new Channel(
                                node,
                                new CallSettings(
                                        own,
                                        node.balancedServers(url, watch.named(), balancer, own))));
            }
        } catch (Throwable e) {
            partitions.forEach(Channel::close);
            throw e;
        }
        return new PartitionChannel(
                List.copyOf(partitions), ParallelChannel.of(partitions).withFailLimit(1), unwatch);
    }

    private static ChannelOptions only(Predicate<ServerNode> servers, ChannelOptions options) {
        ClusterOptions cluster = options.cluster();
        return options.withCluster(cluster.withServerFilter(cluster.serverFilter().and(servers)));
    }

    /**
     * {@return a channel to the same partitions with another mapper} Close only one of them.
     *
     * @param value decides what each partition gets
     */
    public PartitionChannel withMapper(ParallelChannel.Mapper value) {
        return new PartitionChannel(partitions, all.withMapper(value), unwatch);
    }

    /**
     * {@return a channel to the same partitions with another merger} Close only one of them.
     *
     * @param value makes one response of several
     */
    public PartitionChannel withMerger(ParallelChannel.Merger value) {
        return new PartitionChannel(partitions, all.withMerger(value), unwatch);
    }

    /**
     * {@return a channel to the same partitions with another limit} Close only one of them.
     *
     * @param value with how many failed partitions a call fails; at least 1
     */
    public PartitionChannel withFailLimit(int value) {
        return new PartitionChannel(partitions, all.withFailLimit(value), unwatch);
    }

    @Override
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
        all.begin(method, request, call, done);
    }

    /** Starts a call; {@code released} is run once no partition has anything to do with it. */
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method,
            Q request,
            ClientController call,
            Consumer<Message> done,
            Runnable released) {
        all.begin(method, request, call, done, released);
    }

    /** Closes the channels of all partitions. */
    @Override
    public void close() {
        unwatch.run();
        partitions.forEach(Channel::close);
    }
}
