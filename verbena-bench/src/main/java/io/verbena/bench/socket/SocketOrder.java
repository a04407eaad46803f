// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.tools.ToolException;
import java.nio.ByteBuffer;

/**
 * What a client of {@code bench socket} asks its server to do in one run.
 *
 * @param task what to do with each message
 * @param bytes the length of a message
 * @param count how many messages
 */
record SocketOrder(Task task, int bytes, int count) {
    static final int LENGTH = 12;

    /** What to do with each message. */
    enum Task {
        /** Send it back. */
        ECHO(0),
        /** Read it in place; answer once, after the last. */
        LOOK(1),
        /** Copy it; answer once, after the last. */
        COPY(2);

        private final int code;

        Task(int code) {
            this.code = code;
        }

        private static Task of(int code) {
            for (Task task : values()) {
                if (task.code == code) {
                    return task;
                }
            }
            throw new ToolException("order: " + code + " (expected: 0..2)");
        }
    }

    ByteBuffer encode() {
        return ByteBuffer.allocate(LENGTH).putInt(task.code).putInt(bytes).putInt(count).flip();
    }

    static SocketOrder decode(ByteBuffer encoded) {
        return new SocketOrder(Task.of(encoded.getInt()), encoded.getInt(), encoded.getInt());
    }
}
