// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.tools.ToolException;
import java.nio.ByteBuffer;

/**
 * The first bytes of a connection of {@code bench stream}: what its server does with the rest.
 *
 * @param task the task
 * @param bytes the length of a message or write
 */
record StreamOrder(Task task, int bytes) {
    /** How many bytes an order has. */
    static final int LENGTH = 5;

    /** What a server does. */
    enum Task {
        /** Sends back what it receives. */
        ECHO('E'),
        /** Answers each write with one byte. */
        COUNT('C'),
        /** Nothing. */
        REST('R'),
        /** Reports the memory of its process, in eight bytes. */
        TELL_MEMORY('M');

        private final char letter;

        Task(char letter) {
            this.letter = letter;
        }

        private static Task of(int letter) {
            for (Task task : values()) {
                if (task.letter == letter) {
                    return task;
                }
            }
            throw new ToolException("task: " + letter + " (expected: one this program knows)");
        }
    }

    byte[] encode() {
        return ByteBuffer.allocate(LENGTH).put((byte) task.letter).putInt(bytes).array();
    }

    static StreamOrder decode(byte[] encoded) {
        ByteBuffer buffer = ByteBuffer.wrap(encoded);
        return new StreamOrder(Task.of(buffer.get()), buffer.getInt());
    }
}
