// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The servers laid out on a circle, each as long as its weight. Immutable. */
final class WeightCircle {
    /** So that two points can be multiplied. */
    private static final long MOST_LENGTH = Integer.MAX_VALUE;

    /** Where each server's part ends. */
    private final long[] ends;

    WeightCircle(List<ServerNode> servers) {
        ends = new long[servers.size()];
        long all = servers.stream().mapToLong(ServerNode::weight).sum();
        long scale = all / MOST_LENGTH + 1;
        long sum = 0;
        for (int i = 0; i < ends.length; i++) {
            sum += Math.max(1, servers.get(i).weight() / scale);
            ends[i] = sum;
        }
    }

    /** {@return its length; 0 if there is no server} */
    long length() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    /**
     * {@return any available server, in proportion to the weights of those that are, or NONE} Asks
     * about each server once: one that is warming up is available now, and not a moment later.
     */
    int anyAvailable(CallContext call) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int chosen = LoadBalancer.NONE;
        long begin = 0;
        long sum = 0;
        for (int i = 0; i < ends.length; i++) {
            if (call.isAvailable(i)) {
                long length = ends[i] - begin;
                sum += length;
                if (random.nextLong(sum) < length) {
                    chosen = i;
                }
            }
            begin = ends[i];
        }
        return chosen;
    }

    /** {@return the server at a point from 0 to the length exclusive} */
    int at(long point) {
        int low = 0;
        int high = ends.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (point < ends[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
