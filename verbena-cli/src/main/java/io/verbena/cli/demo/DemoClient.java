// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.cli.proto.StateRequest;
import io.verbena.cli.proto.StateResponse;
import io.verbena.cli.proto.StateServiceClient;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.ToolException;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The demonstration's client: a channel over RDMA and one over TCP, each with the same calls. */
final class DemoClient implements AutoCloseable {
    private static final int TIMEOUT_MS = 5000;

    private final RpcNode node;
    private final Channel rdma;
    private final Channel tcp;
    private final List<DemoLoad> overRdma;
    private final List<DemoLoad> overTcp;

    DemoClient(RpcNode node, String address) {
        this.node = node;
        this.rdma = channel(address, SocketMode.RDMA);
        this.tcp = channel(address, SocketMode.TCP);
        this.overRdma = loads(rdma);
        this.overTcp = loads(tcp);
    }

    private Channel channel(String address, SocketMode mode) {
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(mode)
                        .withTimeoutMs(TIMEOUT_MS)
                        .withConnectTimeoutMs(TIMEOUT_MS)
                        .withMaxRetry(0)
                        .withCallbackInline(true);
        return Channel.open(node, address, options);
    }

    private List<DemoLoad> loads(Channel channel) {
        List<DemoLoad> loads = new ArrayList<>();
        for (CallKind kind : CallKind.values()) {
            loads.add(new DemoLoad(kind, channel, node.pool().buffer()));
        }
        return List.copyOf(loads);
    }

    List<DemoLoad> overRdma() {
        return overRdma;
    }

    List<DemoLoad> overTcp() {
        return overTcp;
    }

    /** {@return all calls, each kind over RDMA and then over TCP} */
    List<DemoLoad> inTurn() {
        List<DemoLoad> all = new ArrayList<>();
        for (int i = 0; i < overRdma.size(); i++) {
            all.add(overRdma.get(i));
            all.add(overTcp.get(i));
        }
        return all;
    }

    /** {@return the server's current state} */
    StateResponse serverState() {
        try {
            return new StateServiceClient(tcp).state(StateRequest.getDefaultInstance());
        } catch (RpcException e) {
            throw new ToolException("a call failed: " + e.getMessage(), e);
        }
    }

    PoolUse poolUse() {
        return PoolUse.of(node.pool());
    }

    long answers() {
        return Stream.concat(overRdma.stream(), overTcp.stream())
                .mapToLong(DemoLoad::answers)
                .sum();
    }

    @Override
    public void close() {
        inTurn().forEach(DemoLoad::close);
        rdma.close();
        tcp.close();
    }
}
