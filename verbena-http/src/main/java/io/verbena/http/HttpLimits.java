// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/**
 * How much a client may send before its request is refused.
 *
 * @param maxLineBytes of the request line, a header, or a trailer
 * @param maxHeadBytes of request line and headers together, and of all trailers together
 * @param maxHeaders how many headers
 * @param maxUnanswered requests on a connection that were sent behind each other and have no answer
 */
record HttpLimits(int maxLineBytes, int maxHeadBytes, int maxHeaders, int maxUnanswered) {
    static final HttpLimits DEFAULT = new HttpLimits(8 << 10, 32 << 10, 100, 256);
}
