// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.ServerNode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Where a server's points are on the ring of hashes. The same as in brpc: clients of both agree.
 */
enum Points {
    /** MurmurHash3 (x86, 32 bits) of {@code ip:port-i}. */
    MURMUR {
        @Override
        void of(ServerNode server, int[] points, int from, int count) {
            String prefix = prefix(server);
            for (int i = 0; i < count; i++) {
                points[from + i] = Murmur3.hash((prefix + i).getBytes(StandardCharsets.US_ASCII));
            }
        }
    },
    /** The first four bytes of the MD5 of {@code ip:port-i}. */
    MD5 {
        @Override
        void of(ServerNode server, int[] points, int from, int count) {
            String prefix = prefix(server);
            MessageDigest md5 = md5();
            for (int i = 0; i < count; i++) {
                byte[] digest = md5.digest((prefix + i).getBytes(StandardCharsets.US_ASCII));
                points[from + i] = littleEndian(digest, 0);
            }
        }
    },
    /** All four words of the MD5 of {@code ip:port-i}, as libketama does it. */
    KETAMA {
        @Override
        void of(ServerNode server, int[] points, int from, int count) {
            String prefix = prefix(server);
            MessageDigest md5 = md5();
            for (int i = 0; i < count / WORDS; i++) {
                byte[] digest = md5.digest((prefix + i).getBytes(StandardCharsets.US_ASCII));
                for (int word = 0; word < WORDS; word++) {
                    points[from + i * WORDS + word] = littleEndian(digest, word * Integer.BYTES);
                }
            }
        }
    };

    static final int DEFAULT_REPLICAS = 100;

    /** Words in an MD5: replicas must be a multiple of it for ketama. */
    static final int WORDS = 4;

    /** Computes the points of a server into an array. */
    abstract void of(ServerNode server, int[] points, int from, int count);

    private static String prefix(ServerNode server) {
        InetSocketAddress address = server.address();
        InetAddress ip = address.getAddress();
        String text =
                ip instanceof Inet6Address
                        ? "[" + Ipv6Text.of(ip.getAddress()) + "]"
                        : ip.getHostAddress();
        return text + ":" + address.getPort() + "-";
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has MD5", e);
        }
    }

    private static int littleEndian(byte[] bytes, int at) {
        return bytes[at] & 0xff
                | (bytes[at + 1] & 0xff) << 8
                | (bytes[at + 2] & 0xff) << 16
                | (bytes[at + 3] & 0xff) << 24;
    }
}
