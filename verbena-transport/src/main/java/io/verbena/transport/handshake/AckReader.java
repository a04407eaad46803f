// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import java.nio.ByteBuffer;

/** Reads the last message of a handshake: four bytes of flags, of which one is used. */
final class AckReader {
    /** The client's queue pair is ready to send: use RDMA. */
    private static final int RDMA = 1;

    private int flags;
    private int size;

    /**
     * Takes up to four bytes.
     *
     * @return whether all four are there
     */
    boolean read(ByteBuffer in) {
        while (size < Integer.BYTES && in.hasRemaining()) {
            flags = flags << 8 | in.get() & 0xFF;
            size++;
        }
        return size == Integer.BYTES;
    }

    /** {@return what the client decided} */
    boolean wantsRdma() {
        return (flags & RDMA) != 0;
    }

    /** {@return the message of a client} */
    static byte[] encode(boolean rdma) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(rdma ? RDMA : 0).array();
    }
}
