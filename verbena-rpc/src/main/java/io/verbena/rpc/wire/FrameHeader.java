// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

/**
 * The frame of {@code baidu_std}.
 *
 * <pre>
 *   0      4           8           12            12 + metaSize                     12 + bodySize
 *   +------+-----------+-----------+-------------+-------------+-------------------+
 *   | PRPC | body size | meta size |    meta     |   payload   |    attachment     |
 *   +------+-----------+-----------+-------------+-------------+-------------------+
 *          big-endian, body = all behind the header            attachmentSize bytes
 * </pre>
 */
public final class FrameHeader {
    /** Bytes before the meta. */
    public static final int HEADER_BYTES = 12;

    /** The first four bytes, {@code PRPC}. */
    public static final int MAGIC = 0x50525043;

    /** The first four bytes of a stream frame, {@code STRM}. */
    public static final int STREAM_MAGIC = 0x5354524d;

    private static final int BODY_SIZE_AT = 4;
    private static final int META_SIZE_AT = 8;

    private FrameHeader() {}

    /**
     * {@return whether a frame may start with these bytes}
     *
     * @param bytes an array that starts with them
     * @param count how many there are, from 0 to 4
     */
    public static boolean mayBegin(byte[] bytes, int count) {
        return mayBegin(MAGIC, bytes, count);
    }

    /**
     * {@return whether a frame may start with these bytes}
     *
     * @param magic how such frames start
     * @param bytes an array that starts with them
     * @param count how many there are, from 0 to 4
     */
    static boolean mayBegin(int magic, byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] != (byte) (magic >>> (3 - i) * Byte.SIZE)) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return the size of the body, unsigned}
     *
     * @param header the header
     */
    public static long bodySize(byte[] header) {
        return Integer.toUnsignedLong(intAt(header, BODY_SIZE_AT));
    }

    /**
     * {@return the size of the meta, unsigned}
     *
     * @param header the header
     */
    public static long metaSize(byte[] header) {
        return Integer.toUnsignedLong(intAt(header, META_SIZE_AT));
    }

    /**
     * Writes a header to the first bytes of an array.
     *
     * @param target the array
     * @param bodySize the size of everything after the header
     * @param metaSize the size of the meta
     */
    static void putHeader(byte[] target, int bodySize, int metaSize) {
        putHeader(MAGIC, target, bodySize, metaSize);
    }

    /**
     * Writes a header to the first bytes of an array.
     *
     * @param magic how such frames start
     * @param target the array
     * @param bodySize the size of everything after the header
     * @param metaSize the size of the meta
     */
    static void putHeader(int magic, byte[] target, int bodySize, int metaSize) {
        putInt(target, 0, magic);
        putInt(target, BODY_SIZE_AT, bodySize);
        putInt(target, META_SIZE_AT, metaSize);
    }

    private static int intAt(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | bytes[at + 3] & 0xff;
    }

    private static void putInt(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }
}
