// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A sequence of bytes made of pieces of counted memory: blocks of a pool, or the user's memory.
 * Cutting, joining and sharing move references, never bytes.
 *
 * <pre>
 *      piece 0         piece 1       piece 2
 *   +-----------+  +-----------+  +----------+. . . . +
 *   |  a block  |  | user data |  |  a block    room  |
 *   +-----------+  +-----------+  +----------+. . . . +
 *   front                                 back ^ append copies to here
 * </pre>
 *
 * <p>Ownership: a buffer holds one reference for each of its pieces and releases it when the piece
 * is popped, or the buffer cleared or closed. Bytes that are shared must not be changed by any
 * holder. An empty buffer need not be closed; a closed one may be used again.
 *
 * <p>Threads: one owner at a time. Two buffers that share memory may have two owners.
 *
 * <p>Limits: a piece has at most 1 GiB; longer user data becomes several pieces.
 *
 * <p>Failure: if the pool has no block left, an append throws {@link BlockPoolException} with
 * ENOMEM and leaves the buffer as it was.
 */
public final class IOBuf implements AutoCloseable {
    private static final int HASH_FACTOR = 31;

    private final BlockPool pool;
    private final PieceChain chain;
    private final Pieces pieces;

    IOBuf(BlockPool pool) {
        this.pool = pool;
        this.chain = new PieceChain(pool);
        this.pieces = chain.pieces();
    }

    PieceChain chain() {
        return chain;
    }

    /** {@return the pool that blocks for appended bytes come from} */
    public BlockPool pool() {
        return pool;
    }

    /** {@return how many bytes there are} */
    public long size() {
        return chain.size();
    }

    /** {@return whether there are no bytes} */
    public boolean isEmpty() {
        return chain.size() == 0;
    }

    /** {@return how many pieces the bytes are in} */
    public int pieces() {
        return pieces.count();
    }

    /**
     * {@return the virtual address of a piece, as a scatter/gather element needs it}
     *
     * @param piece from 0 to {@link #pieces} exclusive
     * @see BlockPool#lkey(IOBuf, int)
     */
    public long pieceAddress(int piece) {
        CountedMemory memory = memoryOf(piece);
        return memory.address() + (pieces.start(piece) - memory.start());
    }

    /**
     * {@return the length of a piece}
     *
     * @param piece from 0 to {@link #pieces} exclusive
     */
    public int pieceLength(int piece) {
        Objects.checkIndex(piece, pieces.count());
        return pieces.length(piece);
    }

    /**
     * {@return the bytes of a piece, read-only; valid until the piece is popped}
     *
     * @param piece from 0 to {@link #pieces} exclusive
     */
    public MemorySegment piece(int piece) {
        return memoryOf(piece)
                .base()
                .asSlice(pieces.start(piece), pieces.length(piece))
                .asReadOnly();
    }

    CountedMemory memoryOf(int piece) {
        Objects.checkIndex(piece, pieces.count());
        return pieces.memory(piece);
    }

    /** {@return a read-only view of each piece; valid until it is popped} */
    public List<MemorySegment> segments() {
        return IntStream.range(0, pieces()).mapToObj(this::piece).toList();
    }

    /** {@return a read-only, big-endian view of each piece; valid until it is popped} */
    public List<ByteBuffer> byteBuffers() {
        return IntStream.range(0, pieces()).mapToObj(i -> piece(i).asByteBuffer()).toList();
    }

    /**
     * Copies bytes to the end.
     *
     * @param bytes what to append
     * @return this
     */
    public IOBuf append(byte[] bytes) {
        return append(bytes, 0, bytes.length);
    }

    /**
     * Copies bytes to the end.
     *
     * @param bytes where they are
     * @param offset the first
     * @param length how many
     * @return this
     */
    public IOBuf append(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        long before = chain.size();
        try {
            for (int done = 0; done < length; ) {
                int count = Math.min(length - done, chain.tailRoom(1));
                MemorySegment.copy(
                        bytes,
                        offset + done,
                        chain.tailBase(),
                        ValueLayout.JAVA_BYTE,
                        chain.tailOffset(),
                        count);
                chain.tailWritten(count);
                done += count;
            }
        } catch (RuntimeException e) {
            chain.undo(before);
            throw e;
        }
        return this;
    }

    /**
     * Copies bytes to the end.
     *
     * @param bytes what to append
     * @return this
     */
    public IOBuf append(MemorySegment bytes) {
        long length = bytes.byteSize();
        long before = chain.size();
        try {
            for (long done = 0; done < length; ) {
                int count = (int) Math.min(length - done, chain.tailRoom(1));
                MemorySegment.copy(bytes, done, chain.tailBase(), chain.tailOffset(), count);
                chain.tailWritten(count);
                done += count;
            }
        } catch (RuntimeException e) {
            chain.undo(before);
            throw e;
        }
        return this;
    }

    /**
     * Copies the remaining bytes of a buffer to the end; its position moves to its limit.
     *
     * @param bytes what to append
     * @return this
     */
    public IOBuf append(ByteBuffer bytes) {
        append(MemorySegment.ofBuffer(bytes));
        bytes.position(bytes.limit());
        return this;
    }

    /**
     * Copies the UTF-8 bytes of a text to the end.
     *
     * @param text what to append
     * @return this
     */
    public IOBuf append(String text) {
        return append(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Shares all bytes of another buffer, which keeps them as well. Nothing is copied.
     *
     * @param other what to append; may be this buffer
     * @return this
     */
    public IOBuf append(IOBuf other) {
        chain.share(other.chain);
        return this;
    }

    /**
     * Moves all bytes of another buffer to the end by copying them, if they fit behind the last
     * byte: a few bytes are then one piece with what is here, and their own block is free.
     *
     * @param other emptied if this returns true
     * @return false if there is no room; then nothing has changed
     */
    public boolean tryAbsorb(IOBuf other) {
        long length = other.size();
        if (length > chain.tailLeft()) {
            return false;
        }
        Pieces from = other.chain.pieces();
        for (int i = 0; i < from.count(); i++) {
            int count = from.length(i);
            MemorySegment.copy(
                    from.memory(i).base(),
                    from.start(i),
                    chain.tailBase(),
                    chain.tailOffset(),
                    count);
            chain.tailWritten(count);
        }
        other.clear();
        return true;
    }

    /**
     * Appends a part of a block and takes over the caller's reference to it. Nothing is copied.
     *
     * @param block of any pool
     * @param offset where in the block the bytes start
     * @param length how many; if none, the reference is released
     * @return this
     */
    public IOBuf append(Block block, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, block.capacity());
        if (length == 0) {
            block.release();
        } else {
            chain.add(block, block.start() + offset, length);
        }
        return this;
    }

    /**
     * Appends the caller's memory without copying it. The memory must stay alive and must not
     * change until the callback.
     *
     * @param memory native memory
     * @param lkey its local key, an unsigned 32-bit number, or {@link BlockPool#NOT_REGISTERED} or
     *     {@link BlockPool#COPIED_WHEN_SENT}
     * @param onRelease called once, when no buffer refers to the memory any more, by whoever
     *     releases the last reference; must not block. What it throws is logged
     * @return this
     */
    public IOBuf appendUserData(MemorySegment memory, long lkey, Runnable onRelease) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException(
                    "memory: on the heap (expected: native; use append to copy it)");
        }
        if (lkey < BlockPool.COPIED_WHEN_SENT || lkey > 0xffff_ffffL) {
            throw new IllegalArgumentException(
                    "lkey: " + lkey + " (expected: 32 bits, NOT_REGISTERED or COPIED_WHEN_SENT)");
        }
        UserData data = new UserData(memory, lkey, onRelease);
        long length = memory.byteSize();
        for (long done = 0; done < length; ) {
            int count = (int) Math.min(length - done, Pieces.MAX_LENGTH);
            data.addReferences(1);
            chain.add(data, done, count);
            done += count;
        }
        data.dropReference();
        return this;
    }

    /**
     * Appends a part of the caller's registered memory. It must not change until the callback, and
     * cannot be deregistered before then.
     *
     * @param memory the registered memory
     * @param offset where in it the bytes start
     * @param length how many
     * @param onRelease called once, when no buffer refers to these bytes any more, by whoever
     *     releases the last reference; must not block. What it throws is logged
     * @return this
     */
    public IOBuf appendUserData(UserMemory memory, long offset, long length, Runnable onRelease) {
        MemorySegment part = memory.memory().asSlice(offset, length);
        memory.retain();
        return appendUserData(
                part,
                memory.lkey(),
                () -> {
                    memory.release();
                    onRelease.run();
                });
    }

    /**
     * Moves bytes from the front of this buffer to the end of another. Nothing is copied.
     *
     * @param target where they go; not this buffer
     * @param bytes how many
     * @return how many were moved: all there are, if they are fewer
     */
    public long cutInto(IOBuf target, long bytes) {
        if (target.chain == chain) {
            throw new IllegalArgumentException("target: this buffer (expected: another)");
        }
        long moved = atMost(bytes);
        chain.cutInto(target.chain, moved);
        return moved;
    }

    /**
     * Drops bytes from the front.
     *
     * @param bytes how many
     * @return how many were dropped: all there are, if they are fewer
     */
    public long popFront(long bytes) {
        long dropped = atMost(bytes);
        chain.popFront(dropped);
        return dropped;
    }

    /**
     * Drops bytes from the end.
     *
     * @param bytes how many
     * @return how many were dropped: all there are, if they are fewer
     */
    public long popBack(long bytes) {
        long dropped = atMost(bytes);
        chain.popBack(dropped);
        return dropped;
    }

    private long atMost(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
        return Math.min(bytes, chain.size());
    }

    /** Drops all bytes. The buffer can be used again. */
    public void clear() {
        chain.popFront(chain.size());
    }

    /** Drops all bytes, as {@link #clear} does. */
    @Override
    public void close() {
        clear();
    }

    /**
     * Copies bytes out; they stay in the buffer.
     *
     * @param position the first byte to copy
     * @param target where to
     * @throws IndexOutOfBoundsException if there are fewer bytes than the target has room for
     */
    public void copyTo(long position, MemorySegment target) {
        long length = target.byteSize();
        Objects.checkFromIndexSize(position, length, chain.size());
        long skip = position;
        long done = 0;
        for (int i = 0; done < length; i++) {
            int available = pieces.length(i);
            if (skip >= available) {
                skip -= available;
                continue;
            }
            long count = Math.min(available - skip, length - done);
            MemorySegment.copy(
                    pieces.memory(i).base(), pieces.start(i) + skip, target, done, count);
            skip = 0;
            done += count;
        }
    }

    /**
     * Copies bytes out; they stay in the buffer.
     *
     * @param position the first byte to copy
     * @param target where to
     * @param offset where in the target
     * @param length how many
     */
    public void copyTo(long position, byte[] target, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, target.length);
        Objects.checkFromIndexSize(position, length, chain.size());
        long skip = position;
        // not through a segment of the array: parsers call this for each header
        for (int i = 0, done = 0; done < length; i++) {
            int available = pieces.length(i);
            if (skip >= available) {
                skip -= available;
                continue;
            }
            int count = (int) Math.min(available - skip, length - done);
            MemorySegment.copy(
                    pieces.memory(i).base(),
                    ValueLayout.JAVA_BYTE,
                    pieces.start(i) + skip,
                    target,
                    offset + done,
                    count);
            skip = 0;
            done += count;
        }
    }

    /**
     * Copies out as many bytes as the target has room for, and advances the target's position; the
     * bytes stay in the buffer.
     *
     * @param position the first byte to copy
     * @param target where to
     */
    public void copyTo(long position, ByteBuffer target) {
        copyTo(position, MemorySegment.ofBuffer(target));
        target.position(target.limit());
    }

    /** {@return a copy of all bytes} */
    public byte[] toByteArray() {
        byte[] bytes = new byte[Math.toIntExact(chain.size())];
        copyTo(0, bytes, 0, bytes.length);
        return bytes;
    }

    /** {@return all bytes as UTF-8 text} */
    public String toText() {
        return new String(toByteArray(), StandardCharsets.UTF_8);
    }

    /**
     * {@return a cursor at the first byte}
     *
     * @param order how numbers are laid out
     */
    public IOBufReader reader(ByteOrder order) {
        return new IOBufReader(this, order);
    }

    /**
     * {@return an appender of numbers to this buffer}
     *
     * @param order how numbers are laid out
     */
    public IOBufAppender appender(ByteOrder order) {
        return new IOBufAppender(this, order);
    }

    /** {@return whether the other is a buffer with the same bytes, however they are divided} */
    @Override
    public boolean equals(Object other) {
        return other instanceof IOBuf that
                && size() == that.size()
                && ContentMatch.isSame(chain, that.chain);
    }

    /** {@return a hash of the bytes; changes with them} */
    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < pieces.count(); i++) {
            MemorySegment base = pieces.memory(i).base();
            long start = pieces.start(i);
            int length = pieces.length(i);
            for (int k = 0; k < length; k++) {
                hash = hash * HASH_FACTOR + base.get(ValueLayout.JAVA_BYTE, start + k);
            }
        }
        return hash;
    }

    @Override
    public String toString() {
        return "iobuf[size=" + size() + " pieces=" + pieces + "]";
    }
}
