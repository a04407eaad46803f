// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** The largest payload of one packet; {@code ibv_mtu}. */
public enum PathMtu {
    /** 256 bytes. */
    MTU_256(1),
    /** 512 bytes. */
    MTU_512(2),
    /** 1024 bytes. */
    MTU_1024(3),
    /** 2048 bytes. */
    MTU_2048(4),
    /** 4096 bytes. */
    MTU_4096(5),
    /** A code this version does not know. */
    UNRECOGNIZED(-1);

    private static final PathMtu[] BY_CODE =
            CodeTable.index(values(), PathMtu::code, UNRECOGNIZED, new PathMtu[0]);

    private final int code;

    PathMtu(int code) {
        this.code = code;
    }

    /** {@return the number libibverbs uses} */
    public int code() {
        return code;
    }

    /**
     * {@return the constant for a code, {@link #UNRECOGNIZED} if there is none}
     *
     * @param code a number from a driver or a peer
     */
    public static PathMtu of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNRECOGNIZED;
    }

    /** {@return the size in bytes; 0 if unrecognized} */
    public int bytes() {
        return this == UNRECOGNIZED ? 0 : 128 << code;
    }
}
