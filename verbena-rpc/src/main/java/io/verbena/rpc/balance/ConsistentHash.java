// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.Arrays;
import java.util.List;

/**
 * Sends equal request codes to the same server; brpc's {@code c_murmurhash}, {@code c_md5} and
 * {@code c_ketama}. Each server has points on a ring of hashes, and a code goes to the next point
 * clockwise: when a server leaves, only its own codes move.
 */
final class ConsistentHash implements LoadBalancer {
    private final Points points;
    private final int replicas;

    ConsistentHash(Points points, int replicas) {
        this.points = points;
        this.replicas = replicas;
        if (points == Points.KETAMA && replicas % Points.WORDS != 0) {
            throw new IllegalArgumentException(
                    "c_ketama: replicas=" + replicas + " (expected: a multiple of 4)");
        }
    }

    @Override
    public Picker picker(List<ServerNode> servers) {
        return new Ring(servers, points, replicas);
    }

    /**
     * The ring, sorted. An index by the upper bits of the hash leads to within a few points of the
     * right one, so a lookup takes the same time for any number of servers.
     */
    private static final class Ring implements Picker {
        private static final int MOST_POINTS = 1000;
        private static final long UNSIGNED = 0xffff_ffffL;

        /** Hash in the upper half, the server's place in the lower: sorts by both. */
        private final long[] ring;

        /** The first point at or after the begin of each range of hashes. */
        private final int[] index;

        private final int shift;

        Ring(List<ServerNode> servers, Points points, int replicas) {
            ring = new long[servers.size() * replicas];
            int[] hashes = new int[replicas];
            for (int server = 0; server < servers.size(); server++) {
                points.of(servers.get(server), hashes, 0, replicas);
                for (int i = 0; i < replicas; i++) {
                    ring[server * replicas + i] = (hashes[i] & UNSIGNED) << 32 | server;
                }
            }
            // hashes with the highest bit would sort as negative numbers
            for (int i = 0; i < ring.length; i++) {
                ring[i] ^= Long.MIN_VALUE;
            }
            Arrays.parallelSort(ring);
            for (int i = 0; i < ring.length; i++) {
                ring[i] ^= Long.MIN_VALUE;
            }
            int bits = Math.max(1, 32 - Integer.numberOfLeadingZeros(ring.length));
            shift = 32 - bits;
            index = new int[1 << bits];
            int point = 0;
            for (int range = 0; range < index.length; range++) {
                while (point < ring.length && hashAt(point) < (long) range << shift) {
                    point++;
                }
                index[range] = point;
            }
        }

        private long hashAt(int point) {
            return ring[point] >>> 32;
        }

        @Override
        public int select(CallContext call) {
            if (!call.hasRequestCode()) {
                throw new IllegalArgumentException(
                        "request code: none (expected: set by the caller, to be hashed)");
            }
            if (ring.length == 0) {
                return NONE;
            }
            int start = pointFor(call.requestCode() & UNSIGNED);
            int most = Math.min(ring.length, MOST_POINTS);
            int server = 0;
            for (int i = 0; i < most; i++) {
                int point = start + i;
                server = (int) ring[point < ring.length ? point : point - ring.length];
                if (call.isAvailable(server)) {
                    return server;
                }
            }
            // almost all are gone: each server has many points, but is asked only once here
            return Scan.firstAvailable(call, server);
        }

        private int pointFor(long code) {
            int point = index[(int) (code >>> shift)];
            while (point < ring.length && hashAt(point) < code) {
                point++;
            }
            return point == ring.length ? 0 : point;
        }
    }
}
