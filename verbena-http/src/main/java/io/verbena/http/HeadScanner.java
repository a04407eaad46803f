// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;
import java.util.Arrays;

/**
 * Finds the empty line that ends a head, and reads each byte once, however the bytes arrive. Used
 * by the connection's thread.
 */
final class HeadScanner {
    /** The end has not arrived. */
    static final int NOT_YET = -1;

    /** The bytes do not begin like a head. */
    static final int NOT_HTTP = -2;

    private static final int FIRST_CAPACITY = 1024;

    /** After this many bytes the method, or the version of a response, is known. */
    private static final int LONGEST_BEGINNING = "OPTIONS ".length();

    /** How a head begins. */
    @FunctionalInterface
    interface Beginning {
        /**
         * {@return whether a head may begin with these bytes}
         *
         * @param bytes the first bytes
         * @param length how many there are
         */
        boolean mayBe(byte[] bytes, int length);
    }

    private final HttpLimits limits;
    private final Beginning beginning;
    private byte[] bytes = new byte[FIRST_CAPACITY];
    private int scanned;
    private int lineStart;

    HeadScanner(HttpLimits limits, Beginning beginning) {
        this.limits = limits;
        this.beginning = beginning;
    }

    /** {@return the head, if its end was found} */
    byte[] bytes() {
        return bytes;
    }

    /** {@return whether nothing was read yet} */
    boolean isFresh() {
        return scanned == 0;
    }

    /** The next head begins. */
    void reset() {
        scanned = 0;
        lineStart = 0;
        if (bytes.length > FIRST_CAPACITY) {
            bytes = new byte[FIRST_CAPACITY];
        }
    }

    /**
     * {@return how many bytes the head has, or a negative constant}
     *
     * @param received bytes that were not yet taken; on a repeated call the same, followed by more
     * @throws RefusedRequestException if the head is too large, or has lines without CR LF
     */
    int find(IOBuf received) throws RefusedRequestException {
        int size = (int) Math.min(received.size(), limits.maxHeadBytes());
        while (scanned < size) {
            if (scanned == bytes.length) {
                bytes = Arrays.copyOf(bytes, scanned * 2);
            }
            int from = scanned;
            scanned = Math.min(size, bytes.length);
            received.copyTo(from, bytes, from, scanned - from);
            if (from < LONGEST_BEGINNING && !beginning.mayBe(bytes, scanned)) {
                return NOT_HTTP;
            }
            int end = emptyLine(from);
            if (end > 0) {
                return end;
            }
        }
        if (size == limits.maxHeadBytes()) {
            throw new RefusedRequestException(
                    lineStart == 0 ? HttpStatus.URI_TOO_LONG : HttpStatus.HEADER_FIELDS_TOO_LARGE,
                    "head: larger than " + size + " bytes");
        }
        return NOT_YET;
    }

    /** {@return where the empty line ends, or 0} */
    private int emptyLine(int from) throws RefusedRequestException {
        for (int i = from; i < scanned; i++) {
            if (bytes[i] != '\n') {
                continue;
            }
            if (i == 0 || bytes[i - 1] != '\r') {
                throw RefusedRequestException.bad("line: ends without CR LF");
            }
            if (i - 1 == lineStart) {
                return i + 1;
            }
            lineStart = i + 1;
        }
        return 0;
    }
}
