// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * What a native peer says about itself in the private data of the connection manager. A program
 * that knows only the older protocol sends none and ignores it.
 *
 * <pre>
 *  0        4         8         12           16
 *  | "VBNS" | version | credits | frameBytes |      little-endian
 * </pre>
 *
 * @param credits how many frames it can take before it returns a credit
 * @param frameBytes the longest frame it can take
 */
record Greeting(int credits, int frameBytes) {
    static final int BYTES = 16;

    private static final int MAGIC = 'V' | 'B' << 8 | 'N' << 16 | 'S' << 24;
    private static final int VERSION = 1;
    private static final int MAX_CREDITS = 1 << 12;
    private static final int MIN_FRAME = 64;
    private static final int MAX_FRAME = 1 << 20;

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(VERSION)
                .putInt(credits)
                .putInt(frameBytes)
                .array();
    }

    /** {@return what a peer said, or nothing if it is not a native peer or too new} */
    static Optional<Greeting> of(byte[] privateData) {
        if (privateData.length < BYTES) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(privateData).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt() != MAGIC || bytes.getInt() != VERSION) {
            return Optional.empty();
        }
        Greeting greeting = new Greeting(bytes.getInt(), bytes.getInt());
        return greeting.isSane() ? Optional.of(greeting) : Optional.empty();
    }

    private boolean isSane() {
        return credits >= 1
                && credits <= MAX_CREDITS
                && frameBytes >= MIN_FRAME
                && frameBytes <= MAX_FRAME;
    }
}
