// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A cursor over the fields of one protobuf message, and the writer of such fields.
 *
 * <p>Written by hand because the handshake has two small messages, and generated classes would make
 * the protobuf library part of this module's interface.
 */
final class ProtobufFields {
    /** A field whose value is a varint. */
    static final int VARINT = 0;

    /** A field whose value is eight bytes. */
    private static final int FIXED64 = 1;

    /** A field whose value has a length before it. */
    static final int LENGTH_DELIMITED = 2;

    private static final int START_GROUP = 3;
    private static final int END_GROUP = 4;

    /** A field whose value is four bytes. */
    private static final int FIXED32 = 5;

    /** How deep groups of unknown fields may be nested, as in protobuf's own parsers. */
    private static final int MAX_DEPTH = 100;

    private static final int MAX_VARINT_BYTES = 10;

    private final ByteBuffer in;
    private int tag;

    /** A cursor before the first field. */
    ProtobufFields(ByteBuffer in) {
        this.in = in;
    }

    /**
     * Moves to the next field. The value of the one before must have been read or skipped.
     *
     * @return false at the end of the message
     * @throws IllegalArgumentException if the bytes are not a protobuf message
     */
    boolean next() {
        if (!in.hasRemaining()) {
            return false;
        }
        tag = readTag();
        if ((tag & 7) == END_GROUP) {
            throw new IllegalArgumentException("tag: " + tag + " (expected: a group to end)");
        }
        return true;
    }

    /** {@return whether this is a field with this number and a value of this kind} */
    boolean is(int field, int wireType) {
        return tag == (field << 3 | wireType);
    }

    /** {@return the value of a uint32: like protobuf's parsers, the low half of a longer varint} */
    long readUint32() {
        return readVarint() & 0xFFFF_FFFFL;
    }

    /** {@return the bytes of a string, bytes or message} */
    ByteBuffer readBytes() {
        int length = readLength();
        ByteBuffer bytes = in.slice(in.position(), length);
        in.position(in.position() + length);
        return bytes;
    }

    /** Skips the value of an unknown field. */
    void skip() {
        skip(tag, 0);
    }

    private void skip(int skipped, int depth) {
        switch (skipped & 7) {
            case VARINT -> readVarint();
            case FIXED64 -> advance(Long.BYTES);
            case LENGTH_DELIMITED -> advance(readLength());
            case START_GROUP -> skipGroup(skipped, depth);
            case FIXED32 -> advance(Integer.BYTES);
            default ->
                    throw new IllegalArgumentException(
                            "wire type: " + (skipped & 7) + " (expected: 0..5)");
        }
    }

    private void skipGroup(int start, int depth) {
        if (depth == MAX_DEPTH) {
            throw new IllegalArgumentException("groups nested deeper than " + MAX_DEPTH);
        }
        int inner = readTag();
        while ((inner & 7) != END_GROUP) {
            skip(inner, depth + 1);
            inner = readTag();
        }
        if (inner >>> 3 != start >>> 3) {
            throw new IllegalArgumentException(
                    "end of group: " + (inner >>> 3) + " (expected: " + (start >>> 3) + ")");
        }
    }

    private int readTag() {
        int read = (int) readVarint();
        if (read >>> 3 == 0) {
            throw new IllegalArgumentException("field number: 0 (expected: at least 1)");
        }
        return read;
    }

    private int readLength() {
        int length = (int) readVarint();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException(
                    "length: " + length + " (expected: at most " + in.remaining() + ")");
        }
        return length;
    }

    private void advance(int count) {
        if (count > in.remaining()) {
            throw new IllegalArgumentException("the message ends inside a value");
        }
        in.position(in.position() + count);
    }

    private long readVarint() {
        long value = 0;
        try {
            for (int i = 0; i < MAX_VARINT_BYTES; i++) {
                byte next = in.get();
                value |= (long) (next & 0x7F) << (7 * i);
                if (next >= 0) {
                    return value;
                }
            }
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the message ends inside a varint", e);
        }
        throw new IllegalArgumentException("varint longer than " + MAX_VARINT_BYTES + " bytes");
    }

    /** Writes a field of type uint32, even if it is 0: required fields are always written. */
    static void writeUint32(ByteBuffer out, int field, int value) {
        out.put((byte) (field << 3 | VARINT));
        writeVarint(out, value);
    }

    /** Writes a field of type bytes or message. */
    static void writeBytes(ByteBuffer out, int field, ByteBuffer bytes) {
        out.put((byte) (field << 3 | LENGTH_DELIMITED));
        writeVarint(out, bytes.remaining());
        out.put(bytes);
    }

    private static void writeVarint(ByteBuffer out, int value) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            out.put((byte) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }
}
