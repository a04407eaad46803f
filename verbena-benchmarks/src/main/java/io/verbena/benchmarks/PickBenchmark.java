// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.grpc.LoadBalancer.PickResult;
import io.grpc.LoadBalancer.SubchannelPicker;
import io.grpc.util.RoundRobinPickers;
import io.verbena.rpc.ListedTargets;
import io.verbena.rpc.balance.Balancers;
import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to choose a server, and to learn how the try went? For the balancer alone, and
 * with what a channel adds: whether a server can be reached, or was tried before.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PickBenchmark {
    /** A call whose servers are all available. */
    private static final class Call implements CallContext {
        private final int size;
        private long code;

        Call(int size) {
            this.size = size;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public boolean isAvailable(int index) {
            return true;
        }

        @Override
        public boolean hasRequestCode() {
            return true;
        }

        @Override
        public long requestCode() {
            // another one each time, far apart
            code += 0x9e3779b97f4a7c15L;
            return code >>> 32;
        }

        @Override
        public MethodDescriptor method() {
            throw new UnsupportedOperationException("no balancer here asks");
        }

        @Override
        public int tries() {
            return 0;
        }
    }

    /** How the server is chosen; grpc is the picker of gRPC's round_robin. */
    @Param({"rr", "random", "wrr", "wr", "p2c", "la", "c_murmurhash", "c_md5", "c_ketama", "grpc"})
    public String balancer;

    /** How many servers there are. */
    @Param("1000")
    public int servers;

    private LoadBalancer.Picker picker;
    private Call call;
    private SubchannelPicker grpc;
    private ListedTargets channel;

    /** Lists the servers. */
    @Setup
    public void list() throws UnknownHostException {
        grpc = RoundRobinPickers.of(servers);
        call = new Call(servers);
        List<ServerNode> nodes = new ArrayList<>();
        for (int i = 0; i < servers; i++) {
            byte[] ip = {10, 0, (byte) (i >> 8), (byte) i};
            nodes.add(
                    new ServerNode(
                            new InetSocketAddress(InetAddress.getByAddress(ip), 8000),
                            "",
                            1 + i % 10));
        }
        picker =
                Balancers.all().stream()
                        .filter(provider -> provider.name().equals(balancer))
                        .findFirst()
                        .map(provider -> provider.create(Map.of()).picker(nodes))
                        .orElse(context -> grpcPick().isDrop() ? 1 : 0);
        channel = new ListedTargets(nodes, picker);
    }

    /** Leaves the servers. */
    @TearDown
    public void leave() {
        channel.close();
    }

    private PickResult grpcPick() {
        return grpc.pickSubchannel(null);
    }

    /** Chooses only. */
    @Benchmark
    public int pick() {
        return picker.select(call);
    }

    /** Chooses, and tells how it went. */
    @Benchmark
    public int pickAndTell() {
        int server = picker.select(call);
        picker.onFeedback(server, 1_000_000, 0);
        return server;
    }

    /** Chooses only, as a channel does. */
    @Benchmark
    public int pickForCall() {
        return channel.pick(call.requestCode());
    }

    /** Chooses, and tells how it went, as a channel does. */
    @Benchmark
    public int pickForCallAndTell() {
        int server = channel.pick(call.requestCode());
        channel.tell(server);
        return server;
    }
}
