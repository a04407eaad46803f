// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The control message of the {@code rdma_socket} protocol, {@value #BYTES} bytes, little-endian.
 *
 * <pre>
 *  0      4      8        16         24        32     36        40
 *  | type | flag | length | msg_addr | mr_addr | rkey | padding |
 * </pre>
 */
final class MetaData {
    static final int BYTES = 40;

    /** A message was read: its memory is free. */
    static final int ACK = 14;

    /** A message waits to be read. */
    static final int NORMAL = 15;

    /** No message will follow. */
    static final int CLOSE = 16;

    /** Flag: more frames of the same group follow; {@code SND_MORE}. */
    static final int MORE = 128;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long TYPE = 0;
    private static final long FLAG = 4;
    private static final long LENGTH = 8;
    private static final long MESSAGE_ADDRESS = 16;
    private static final long COOKIE = 24;
    private static final long RKEY = 32;
    private static final long PADDING = 36;

    private MetaData() {}

    static void writeNormal(
            MemorySegment target, int flag, long length, long address, long cookie, int rkey) {
        write(target, NORMAL, flag, length, address, cookie);
        target.set(INT, RKEY, rkey);
    }

    static void writeClose(MemorySegment target) {
        write(target, CLOSE, 0, 0, 0, 0);
    }

    /** The same bytes as the message being acknowledged, except for the type. */
    static void writeAck(MemorySegment target, InboxEntry of) {
        write(target, ACK, of.flag, of.length, of.remoteAddress, of.cookie);
        target.set(INT, RKEY, of.rkey);
    }

    private static void write(
            MemorySegment target, int type, int flag, long length, long address, long cookie) {
        target.set(INT, TYPE, type);
        target.set(INT, FLAG, flag);
        target.set(LONG, LENGTH, length);
        target.set(LONG, MESSAGE_ADDRESS, address);
        target.set(LONG, COOKIE, cookie);
        target.set(INT, RKEY, 0);
        target.set(INT, PADDING, 0);
    }

    static int type(MemorySegment memory, long at) {
        return memory.get(INT, at + TYPE);
    }

    static int flag(MemorySegment memory, long at) {
        return memory.get(INT, at + FLAG);
    }

    static long length(MemorySegment memory, long at) {
        return memory.get(LONG, at + LENGTH);
    }

    static long address(MemorySegment memory, long at) {
        return memory.get(LONG, at + MESSAGE_ADDRESS);
    }

    static long cookie(MemorySegment memory, long at) {
        return memory.get(LONG, at + COOKIE);
    }

    static int rkey(MemorySegment memory, long at) {
        return memory.get(INT, at + RKEY);
    }
}
