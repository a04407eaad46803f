// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A part of an array: a field of a meta that has not been decoded yet. */
public final class Slice {
    private static final int HASH_FACTOR = 31;

    private byte[] bytes = {};
    private int offset;
    private int length;
    private boolean isPresent;

    Slice() {}

    void clear() {
        length = 0;
        isPresent = false;
    }

    void set(byte[] source, int from, int count) {
        bytes = source;
        offset = from;
        length = count;
        isPresent = true;
    }

    /** {@return whether the field was present} */
    public boolean isPresent() {
        return isPresent;
    }

    /** {@return how many bytes it has} */
    public int length() {
        return length;
    }

    /**
     * {@return whether it has these bytes}
     *
     * @param other the bytes
     */
    public boolean contentEquals(byte[] other) {
        return Arrays.equals(bytes, offset, offset + length, other, 0, other.length);
    }

    /** {@return a hash of its bytes, that of {@link Arrays#hashCode(byte[])}} */
    public int contentHash() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = hash * HASH_FACTOR + bytes[offset + i];
        }
        return hash;
    }

    /** {@return a copy of its bytes} */
    public byte[] toByteArray() {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }

    /** {@return its bytes as UTF-8 text} */
    public String toText() {
        return new String(bytes, offset, length, StandardCharsets.UTF_8);
    }

    /**
     * {@return its bytes as a big-endian number, if they are exactly four}
     *
     * @param otherwise the result if they are not
     */
    public int toInt(int otherwise) {
        if (length != Integer.BYTES) {
            return otherwise;
        }
        int value = 0;
        for (int i = 0; i < length; i++) {
            value = value << Byte.SIZE | bytes[offset + i] & 0xff;
        }
        return value;
    }

    @Override
    public String toString() {
        return isPresent ? toText() : "absent";
    }
}
