// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/**
 * Request line and headers.
 *
 * @param method what to do
 * @param target with what
 * @param minorVersion 0 for HTTP/1.0, 1 for HTTP/1.1 and what follows it
 * @param headers the rest
 */
record HttpHead(HttpMethod method, HttpTarget target, int minorVersion, HttpHeaders headers) {
    /** {@return whether the client wants to keep the connection} */
    boolean isKeepAlive() {
        return minorVersion == 0
                ? headers.hasWord("connection", "keep-alive")
                        && !headers.hasWord("connection", "close")
                : !headers.hasWord("connection", "close");
    }
}
