// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Text in a buffer of fixed size: UTF-8 followed by a NUL, like a string in C. */
final class MessageText {
    /** The size of every buffer; {@code BUFFER_SIZE} of the tutorial. */
    static final int BUFFER_SIZE = 1024;

    private MessageText() {}

    /**
     * {@return the text, checked to fit}
     *
     * @param text what to send
     */
    static String check(String text) {
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        if (length >= BUFFER_SIZE) {
            throw new IllegalArgumentException(
                    "message: " + length + " bytes (expected: at most " + (BUFFER_SIZE - 1) + ")");
        }
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("message: contains NUL (expected: text without it)");
        }
        return text;
    }

    /**
     * Puts a text into a buffer.
     *
     * @param buffer of {@link #BUFFER_SIZE} bytes
     * @param text what to put; checked to fit
     */
    static void put(MemorySegment buffer, String text) {
        buffer.setString(0, check(text), StandardCharsets.UTF_8);
    }

    /**
     * {@return the text in a buffer, up to the first NUL or the end} The peer wrote it: it may lack
     * the NUL, and bytes that are not UTF-8 become replacement characters.
     *
     * @param buffer what was received
     */
    static String get(MemorySegment buffer) {
        byte[] bytes = buffer.toArray(ValueLayout.JAVA_BYTE);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
