// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteOrder;

/**
 * A cursor that reads numbers and bytes from an {@link IOBuf} and leaves them there. To drop the
 * bytes that were read, call {@link IOBuf#popFront} with {@link #position}, and continue with a new
 * cursor.
 *
 * <p>Bytes may be appended while it reads; the buffer must not be changed in any other way.
 *
 * <p>Threads: the buffer's owner.
 *
 * <p>Failure: {@link BufferUnderflowException} if there are too few bytes; the cursor stays.
 */
public final class IOBufReader {
    private final IOBuf buffer;
    private final Pieces pieces;
    private final boolean isBigEndian;
    private final ValueLayout.OfShort shortLayout;
    private final ValueLayout.OfInt intLayout;
    private final ValueLayout.OfLong longLayout;
    private int piece;
    private int inPiece;
    private long position;

    IOBufReader(IOBuf buffer, ByteOrder order) {
        this.buffer = buffer;
        this.pieces = buffer.chain().pieces();
        this.isBigEndian = order == ByteOrder.BIG_ENDIAN;
        this.shortLayout = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(order);
        this.intLayout = ValueLayout.JAVA_INT_UNALIGNED.withOrder(order);
        this.longLayout = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(order);
    }

    /** {@return how many bytes were read} */
    public long position() {
        return position;
    }

    /** {@return how many bytes are left to read} */
    public long remaining() {
        return buffer.size() - position;
    }

    /** {@return the next byte} */
    public byte readByte() {
        return (byte) readSlowly(Byte.BYTES);
    }

    /** {@return the next two bytes as a number} */
    public short readShort() {
        if (!isTogether(Short.BYTES)) {
            return (short) readSlowly(Short.BYTES);
        }
        short value = base().get(shortLayout, offset());
        advance(Short.BYTES);
        return value;
    }

    /** {@return the next four bytes as a number} */
    public int readInt() {
        if (!isTogether(Integer.BYTES)) {
            return (int) readSlowly(Integer.BYTES);
        }
        int value = base().get(intLayout, offset());
        advance(Integer.BYTES);
        return value;
    }

    /** {@return the next eight bytes as a number} */
    public long readLong() {
        if (!isTogether(Long.BYTES)) {
            return readSlowly(Long.BYTES);
        }
        long value = base().get(longLayout, offset());
        advance(Long.BYTES);
        return value;
    }

    /**
     * Copies the next bytes.
     *
     * @param target where to; filled
     */
    public void readBytes(byte[] target) {
        require(target.length);
        buffer.copyTo(position, target, 0, target.length);
        skip(target.length);
    }

    /**
     * Skips bytes.
     *
     * @param bytes how many
     */
    public void skip(long bytes) {
        require(bytes);
        position += bytes;
        long left = bytes;
        while (left > 0) {
            int available = pieces.length(piece) - inPiece;
            if (left < available) {
                inPiece += (int) left;
                return;
            }
            left -= available;
            piece++;
            inPiece = 0;
        }
    }

    /** {@return whether the next bytes are in one piece} */
    private boolean isTogether(int bytes) {
        settle();
        return piece < pieces.count() && pieces.length(piece) - inPiece >= bytes;
    }

    /** After an append, the last piece may have grown, or another piece may follow it. */
    private void settle() {
        if (piece < pieces.count() && inPiece == pieces.length(piece)) {
            piece++;
            inPiece = 0;
        }
    }

    private MemorySegment base() {
        return pieces.memory(piece).base();
    }

    private long offset() {
        return pieces.start(piece) + inPiece;
    }

    private void advance(int bytes) {
        inPiece += bytes;
        position += bytes;
    }

    private long readSlowly(int bytes) {
        require(bytes);
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            settle();
            long next = base().get(ValueLayout.JAVA_BYTE, offset()) & 0xffL;
            value = isBigEndian ? value << Byte.SIZE | next : value | next << i * Byte.SIZE;
            advance(1);
        }
        return value;
    }

    private void require(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
        if (bytes > remaining()) {
            throw new BufferUnderflowException();
        }
    }
}
