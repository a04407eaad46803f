// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Appends numbers to an {@link IOBuf}. A number is never split: if it does not fit after the last
 * byte, it starts the next block.
 *
 * <p>Threads: the buffer's owner.
 *
 * <p>Failure: as {@link IOBuf#append(byte[])}.
 */
public final class IOBufAppender {
    private final IOBuf buffer;
    private final PieceChain chain;
    private final ValueLayout.OfShort shortLayout;
    private final ValueLayout.OfInt intLayout;
    private final ValueLayout.OfLong longLayout;

    IOBufAppender(IOBuf buffer, ByteOrder order) {
        this.buffer = buffer;
        this.chain = buffer.chain();
        this.shortLayout = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(order);
        this.intLayout = ValueLayout.JAVA_INT_UNALIGNED.withOrder(order);
        this.longLayout = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(order);
    }

    /**
     * Appends one byte.
     *
     * @param value its low eight bits
     * @return this
     */
    public IOBufAppender writeByte(int value) {
        chain.tailRoom(Byte.BYTES);
        chain.tailBase().set(ValueLayout.JAVA_BYTE, chain.tailOffset(), (byte) value);
        chain.tailWritten(Byte.BYTES);
        return this;
    }

    /**
     * Appends two bytes.
     *
     * @param value its low sixteen bits
     * @return this
     */
    public IOBufAppender writeShort(int value) {
        chain.tailRoom(Short.BYTES);
        chain.tailBase().set(shortLayout, chain.tailOffset(), (short) value);
        chain.tailWritten(Short.BYTES);
        return this;
    }

    /**
     * Appends four bytes.
     *
     * @param value the number
     * @return this
     */
    public IOBufAppender writeInt(int value) {
        chain.tailRoom(Integer.BYTES);
        chain.tailBase().set(intLayout, chain.tailOffset(), value);
        chain.tailWritten(Integer.BYTES);
        return this;
    }

    /**
     * Appends eight bytes.
     *
     * @param value the number
     * @return this
     */
    public IOBufAppender writeLong(long value) {
        chain.tailRoom(Long.BYTES);
        chain.tailBase().set(longLayout, chain.tailOffset(), value);
        chain.tailWritten(Long.BYTES);
        return this;
    }

    /**
     * Appends bytes.
     *
     * @param bytes which
     * @return this
     */
    public IOBufAppender writeBytes(byte[] bytes) {
        buffer.append(bytes);
        return this;
    }
}
