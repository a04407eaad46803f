// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.ToolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The data of a ping: its number, then letters that shift from ping to ping, then a NUL. */
final class PingData {
    /** The fewest bytes a ping may have. */
    static final int MIN_SIZE = 23;

    /** One more than a ping may have. */
    static final int LIMIT = 64 * 1024;

    private static final int FIRST = 'A';
    private static final int LETTERS = 'z' - 'A' + 1;

    private PingData() {}

    /**
     * {@return the data of a ping}
     *
     * @param ping its number, from 0
     * @param size how many bytes, including the NUL
     */
    static byte[] of(int ping, int size) {
        byte[] head = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        byte[] data = Arrays.copyOf(head, size);
        for (int i = head.length; i < size; i++) {
            data[i] = (byte) (FIRST + (ping + i - head.length) % LETTERS);
        }
        data[size - 1] = 0;
        return data;
    }

    /**
     * {@return how many bytes there are before the NUL}
     *
     * @param data what a peer sent
     * @throws ToolException if there is no NUL
     */
    static int textLength(MemorySegment data) {
        for (int i = 0; i < data.byteSize(); i++) {
            if (data.get(ValueLayout.JAVA_BYTE, i) == 0) {
                return i;
            }
        }
        throw new ToolException(
                "ping data: " + data.byteSize() + " bytes (expected: a NUL at their end)");
    }

    /** {@return the text before the NUL, one character per byte} */
    static String text(MemorySegment data) {
        byte[] bytes = data.asSlice(0, textLength(data)).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
