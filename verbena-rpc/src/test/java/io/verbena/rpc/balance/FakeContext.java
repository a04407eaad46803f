// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/** A call, and servers that a test makes unavailable. */
final class FakeContext implements CallContext {
    private final int size;
    final BitSet dead = new BitSet();
    boolean hasRequestCode;
    long requestCode;

    FakeContext(int size) {
        this.size = size;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isAvailable(int index) {
        return !dead.get(index);
    }

    @Override
    public boolean hasRequestCode() {
        return hasRequestCode;
    }

    @Override
    public long requestCode() {
        return requestCode;
    }

    @Override
    public MethodDescriptor method() {
        return EchoService.Methods.ECHO.descriptor();
    }

    @Override
    public int tries() {
        return 0;
    }

    /** {@return as many servers, each with its weight} */
    static List<ServerNode> servers(int count, int... weights) {
        List<ServerNode> servers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int weight = weights.length == 0 ? 1 : weights[i % weights.length];
            servers.add(new ServerNode(address(i), "", weight));
        }
        return servers;
    }

    private static InetSocketAddress address(int number) {
        try {
            byte[] ip = {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number};
            return new InetSocketAddress(InetAddress.getByAddress(ip), 8000);
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    static LoadBalancer balancer(String name) {
        return Balancers.all().stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow()
                .create(Map.of());
    }

    /** {@return how often each server is chosen} Each try is answered at once. */
    int[] choose(LoadBalancer.Picker picker, int calls) {
        int[] chosen = new int[size];
        for (int i = 0; i < calls; i++) {
            int server = picker.select(this);
            chosen[server]++;
            picker.onFeedback(server, 1_000_000, 0);
        }
        return chosen;
    }
}
