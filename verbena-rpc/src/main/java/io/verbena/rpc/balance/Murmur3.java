// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

/** MurmurHash3, the x86 variant with 32 bits and seed 0, as brpc uses it. */
final class Murmur3 {
    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;

    private Murmur3() {}

    static int hash(byte[] bytes) {
        int hash = 0;
        int blocks = bytes.length & ~3;
        for (int i = 0; i < blocks; i += 4) {
            hash ^= scramble(word(bytes, i, 4));
            hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
        }
        if (blocks < bytes.length) {
            hash ^= scramble(word(bytes, blocks, bytes.length - blocks));
        }
        return finish(hash ^ bytes.length);
    }

    private static int word(byte[] bytes, int at, int count) {
        int word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[at + i] & 0xff) << (8 * i);
        }
        return word;
    }

    private static int scramble(int word) {
        return Integer.rotateLeft(word * C1, 15) * C2;
    }

    private static int finish(int value) {
        int hash = value;
        hash ^= hash >>> 16;
        hash *= 0x85ebca6b;
        hash ^= hash >>> 13;
        hash *= 0xc2b2ae35;
        return hash ^ hash >>> 16;
    }
}
