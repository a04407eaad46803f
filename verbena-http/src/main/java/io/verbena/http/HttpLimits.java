// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/**
 * How much a client may send before its request is refused.
 *
 * @param maxLineBytes size of the request line, a header, or a trailer
 * @param maxHeadBytes size of request line and headers together, and of all trailers together
 * @param maxHeaders how many headers
 * @param maxUnanswered how many pipelined requests of a connection may be without an answer
 */
record HttpLimits(int maxLineBytes, int maxHeadBytes, int maxHeaders, int maxUnanswered) {
    static final HttpLimits DEFAULT = new HttpLimits(8 << 10, 32 << 10, 100, 256);

    /** What is collected of a body before the credentials in its head are checked. */
    static final int STRANGER_BYTES = 64 << 10;
}
