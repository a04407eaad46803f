// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The message by which the sides of the write/read programs tell each other where their memory is
 * and that they are done; the tutorial's {@code struct message}, which contains a whole {@code
 * struct ibv_mr}.
 *
 * <pre>
 *  0      4     8         16    24        32       40       44     48     52    56
 *  | type | pad | context | pd  | address | length | handle | lkey | rkey | pad |
 * </pre>
 *
 * <p>Little-endian, as x86-64 lays it out. Only address, length and rkey mean anything to the peer;
 * the rest is sent as zero, because pointers and local keys are of no use to the peer.
 *
 * @param type what the message says
 * @param address where the sender's memory is, in MSG_MR
 * @param length how long it is
 * @param rkey its remote key
 */
record ControlMessage(Type type, long address, long length, int rkey) {
    /** What a message says; {@code enum} in {@code struct message}. */
    enum Type {
        /** Here is my memory. */
        MSG_MR(0),
        /** I have written or read yours. */
        MSG_DONE(1);

        private final int code;

        Type(int code) {
            this.code = code;
        }

        private static Type of(int code) {
            return switch (code) {
                case 0 -> MSG_MR;
                case 1 -> MSG_DONE;
                default ->
                        throw new ExampleException(
                                "control message type: "
                                        + code
                                        + " (expected: 0 MSG_MR or 1 MSG_DONE)");
            };
        }
    }

    /** The size on the wire. */
    static final int SIZE = 56;

    static final long TYPE_OFFSET = 0;
    static final long ADDRESS_OFFSET = 24;
    static final long LENGTH_OFFSET = 32;
    static final long RKEY_OFFSET = 48;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    static ControlMessage ofRegion(MemoryRegion region) {
        return new ControlMessage(Type.MSG_MR, region.address(), region.length(), region.rkey());
    }

    static ControlMessage done() {
        return new ControlMessage(Type.MSG_DONE, 0, 0, 0);
    }

    /**
     * Lays the message out.
     *
     * @param memory at least {@link #SIZE} bytes; they are overwritten
     */
    void write(MemorySegment memory) {
        memory.asSlice(0, SIZE).fill((byte) 0);
        memory.set(INT, TYPE_OFFSET, type.code);
        memory.set(LONG, ADDRESS_OFFSET, address);
        memory.set(LONG, LENGTH_OFFSET, length);
        memory.set(INT, RKEY_OFFSET, rkey);
    }

    /**
     * {@return the message that a peer sent}
     *
     * @param memory the receive buffer
     * @param received how many bytes came
     * @throws ExampleException if they are not a message
     */
    static ControlMessage read(MemorySegment memory, long received) {
        if (received != SIZE) {
            throw new ExampleException(
                    "control message: " + received + " bytes (expected: " + SIZE + ")");
        }
        return new ControlMessage(
                Type.of(memory.get(INT, TYPE_OFFSET)),
                memory.get(LONG, ADDRESS_OFFSET),
                memory.get(LONG, LENGTH_OFFSET),
                memory.get(INT, RKEY_OFFSET));
    }
}
