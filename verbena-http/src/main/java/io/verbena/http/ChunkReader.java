// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;

/**
 * Takes a chunked body out of the received bytes, a part at a time. Used by the connection's
 * thread.
 */
final class ChunkReader {
    private static final int HEX = 16;
    private static final int MAX_SIZE_DIGITS = 15;

    /** A size, and extensions, which are ignored. */
    private static final int MAX_SIZE_LINE = 256;

    /** Smaller pieces are copied: a reference would cost more memory than their bytes. */
    private static final int MIN_REFERENCE = 4096;

    private enum Part {
        SIZE,
        DATA,
        DATA_END,
        TRAILERS
    }

    private final HttpLimits limits;
    private final long maxBodyBytes;
    private final IOBuf body;
    private Part part = Part.SIZE;
    private long left;
    private int trailerBytes;
    private byte[] scratch = new byte[MIN_REFERENCE];

    ChunkReader(HttpLimits limits, long maxBodyBytes, IOBuf body) {
        this.limits = limits;
        this.maxBodyBytes = maxBodyBytes;
        this.body = body;
    }

    /**
     * {@return whether the body is complete}
     *
     * @param received bytes that were not yet taken
     * @throws RefusedRequestException if it is malformed or too large
     */
    boolean take(IOBuf received) throws RefusedRequestException {
        while (true) {
            switch (part) {
                case SIZE -> {
                    int length = line(received, MAX_SIZE_LINE, HttpStatus.BAD_REQUEST);
                    if (length < 0) {
                        return false;
                    }
                    size(length);
                    received.popFront(length + 2L);
                }
                case DATA -> {
                    data(received);
                    if (left > 0) {
                        return false;
                    }
                    part = Part.DATA_END;
                }
                case DATA_END -> {
                    int length = line(received, 0, HttpStatus.BAD_REQUEST);
                    if (length < 0) {
                        return false;
                    }
                    received.popFront(2);
                    part = Part.SIZE;
                }
                case TRAILERS -> {
                    int length = trailer(received);
                    if (length <= 0) {
                        return length == 0;
                    }
                }
            }
        }
    }

    private void size(int length) throws RefusedRequestException {
        int digits = 0;
        long size = 0;
        while (digits < length && Character.digit(scratch[digits], HEX) >= 0) {
            if (digits == MAX_SIZE_DIGITS) {
                throw BodyFraming.tooLarge(maxBodyBytes);
            }
            size = size * HEX + Character.digit(scratch[digits++], HEX);
        }
        if (digits == 0 || digits < length && scratch[digits] != ';') {
            throw RefusedRequestException.bad("chunk: without a size");
        }
        if (size > maxBodyBytes - body.size()) {
            throw BodyFraming.tooLarge(maxBodyBytes);
        }
        left = size;
        part = size == 0 ? Part.TRAILERS : Part.DATA;
    }

    private void data(IOBuf received) {
        long count = Math.min(left, received.size());
        left -= count;
        if (count >= MIN_REFERENCE) {
            received.cutInto(body, count);
        } else {
            received.copyTo(0, scratch, 0, (int) count);
            body.append(scratch, 0, (int) count);
            received.popFront(count);
        }
    }

    /**
     * {@return the length of the trailer that was skipped; 0 at the end, -1 if more bytes are
     * needed}
     */
    private int trailer(IOBuf received) throws RefusedRequestException {
        int length = line(received, limits.maxLineBytes(), HttpStatus.HEADER_FIELDS_TOO_LARGE);
        if (length > 0) {
            HeadReader.checkHeader(limits, scratch, length + 2);
            trailerBytes += length;
            if (trailerBytes > limits.maxHeadBytes()) {
                throw new RefusedRequestException(
                        HttpStatus.HEADER_FIELDS_TOO_LARGE, "trailers: too many");
            }
        }
        if (length >= 0) {
            received.popFront(length + 2L);
        }
        return length;
    }

    /**
     * Copies the line at the front to the scratch buffer.
     *
     * @return its length without CR LF, or -1 if its end has not arrived
     */
    private int line(IOBuf received, int most, HttpStatus ifTooLong)
            throws RefusedRequestException {
        int available = (int) Math.min(received.size(), most + 2L);
        if (scratch.length < available) {
            scratch = new byte[available];
        }
        received.copyTo(0, scratch, 0, available);
        for (int i = 0; i < available; i++) {
            if (scratch[i] == '\n' || scratch[i] == '\r' && i + 1 < available) {
                if (scratch[i] == '\r' && scratch[i + 1] == '\n') {
                    return i;
                }
                throw RefusedRequestException.bad("chunk: a line ends without CR LF");
            }
        }
        boolean isLost = available == most + 2 || available > most && scratch[most] != '\r';
        if (isLost) {
            throw new RefusedRequestException(ifTooLong, "chunk: a line that does not end");
        }
        return -1;
    }
}
