// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.HexFormat;

/**
 * A global identifier of 16 bytes, written like an IPv6 address; {@code ibv_gid}.
 *
 * @param high the first eight bytes (subnet prefix), big-endian
 * @param low the last eight bytes (interface id), big-endian
 */
public record Gid(long high, long low) {
    /** All zeros: no identifier. */
    public static final Gid ZERO = new Gid(0, 0);

    /**
     * {@return the identifier in 16 bytes}
     *
     * @param bytes exactly 16 bytes in network order
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length != 16) {
            throw new IllegalArgumentException("bytes.length: " + bytes.length + " (expected: 16)");
        }
        return new Gid(longAt(bytes, 0), longAt(bytes, 8));
    }

    /**
     * {@return the identifier in 32 hexadecimal digits; colons are ignored if there are seven of
     * them}
     *
     * @param text 32 digits, or eight groups of four
     */
    public static Gid parse(String text) {
        String digits = text.replace(":", "");
        if (digits.length() != 32) {
            throw new IllegalArgumentException(
                    "gid: " + text + " (expected: 32 hexadecimal digits)");
        }
        return of(HexFormat.of().parseHex(digits));
    }

    /** {@return whether it stands for an IPv4 address} */
    public boolean isIpv4() {
        return high == 0 && low >>> 32 == 0xFFFF;
    }

    /** {@return whether it is valid on one link only, as a port's first identifier usually is} */
    public boolean isLinkLocal() {
        return high >>> 54 == 0xFE80_0000_0000_0000L >>> 54;
    }

    /** {@return the 16 bytes in network order} */
    public byte[] toBytes() {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (high >>> (56 - 8 * i));
            bytes[8 + i] = (byte) (low >>> (56 - 8 * i));
        }
        return bytes;
    }

    @Override
    public String toString() {
        String hex = HexFormat.of().formatHex(toBytes());
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 32; i += 4) {
            text.append(i == 0 ? "" : ":").append(hex, i, i + 4);
        }
        return text.toString();
    }

    private static long longAt(byte[] bytes, int offset) {
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = (value << 8) | (bytes[offset + i] & 0xFF);
        }
        return value;
    }
}
