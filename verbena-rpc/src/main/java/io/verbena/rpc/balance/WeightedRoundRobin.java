// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Visits each server as often as its weight says; brpc's {@code wrr}. Walks around the circle of
 * weights with a stride that has no divisor in common with its length, so that it meets every point
 * once per round, and near the golden section of it, so that the visits to a server are spread out.
 */
final class WeightedRoundRobin implements LoadBalancer {
    private static final double GOLDEN_SECTION = 0.6180339887498949;

    @Override
    public Picker picker(List<ServerNode> servers) {
        return new Walk(new WeightCircle(servers));
    }

    private static final class Walk implements Picker {
        private static final int MOST_TURNS = 16;

        private final WeightCircle circle;
        private final long length;
        private final long stride;
        private final AtomicLong turns = new AtomicLong(ThreadLocalRandom.current().nextInt());

        Walk(WeightCircle circle) {
            this.circle = circle;
            this.length = circle.length();
            this.stride = strideFor(length);
        }

        @Override
        public int select(CallContext call) {
            if (length == 0) {
                return NONE;
            }
            int most = Math.min(call.size(), MOST_TURNS);
            for (int i = 0; i < most; i++) {
                long turn = turns.getAndIncrement() % length;
                int index = circle.at(Math.floorMod(turn * stride, length));
                if (call.isAvailable(index)) {
                    return index;
                }
            }
            return circle.anyAvailable(call);
        }

        private static long strideFor(long length) {
            long stride = Math.max(1, Math.round(length * GOLDEN_SECTION));
            while (stride < length && commonDivisor(stride, length) != 1) {
                stride++;
            }
            return Math.max(1, stride % Math.max(1, length));
        }

        private static long commonDivisor(long one, long other) {
            long a = one;
            long b = other;
            while (b != 0) {
                long rest = a % b;
                a = b;
                b = rest;
            }
            return a;
        }
    }
}
