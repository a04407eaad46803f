// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import java.nio.ByteBuffer;

/** The forms of a hello. The first four bytes distinguish V3 from the others. */
enum HelloVersion {
    /** 38 bytes, brpc 1.4 to 1.7: recognised, and always refused. */
    V1(1, "RDMA"),
    /** 40 bytes and extensions that are skipped. */
    V2(2, "RDMA"),
    /** A protobuf message. */
    V3(3, "RDM3");

    /** The length of the magic. */
    static final int MAGIC_BYTES = 4;

    private static final HelloVersion[] BY_MAGIC = {V2, V3};

    private final int number;
    private final int magic;

    HelloVersion(int number, String magic) {
        this.number = number;
        int value = 0;
        for (int i = 0; i < MAGIC_BYTES; i++) {
            value = value << 8 | magic.charAt(i);
        }
        this.magic = value;
    }

    /** {@return the version of a flag's value} */
    static HelloVersion of(int number) {
        return number == V3.number ? V3 : V2;
    }

    /** {@return its number} */
    int number() {
        return number;
    }

    /** {@return its first four bytes, the first one most significant} */
    int magic() {
        return magic;
    }

    /** {@return whether bytes can be the beginning of a hello of this version} */
    boolean mayBegin(ByteBuffer bytes) {
        int count = Math.min(bytes.remaining(), MAGIC_BYTES);
        for (int i = 0; i < count; i++) {
            if (bytes.get(bytes.position() + i) != (byte) (magic >>> (24 - 8 * i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return which hello begins with these bytes: V2 also for V1, whose magic is the same}
     *
     * @param bytes at least four; not consumed
     * @throws IllegalArgumentException if none does
     */
    static HelloVersion byMagic(ByteBuffer bytes) {
        for (HelloVersion version : BY_MAGIC) {
            if (bytes.remaining() >= MAGIC_BYTES && version.mayBegin(bytes)) {
                return version;
            }
        }
        throw new IllegalArgumentException("bytes: no magic (expected: RDMA or RDM3)");
    }

    /** {@return whether bytes can be the beginning of any hello} */
    static boolean anyMayBegin(ByteBuffer bytes) {
        for (HelloVersion version : BY_MAGIC) {
            if (version.mayBegin(bytes)) {
                return true;
            }
        }
        return false;
    }
}
