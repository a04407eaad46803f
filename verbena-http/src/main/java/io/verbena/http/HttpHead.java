// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/**
 * Request line and headers.
 *
 * @param method the method
 * @param target the target
 * @param minorVersion 0 for HTTP/1.0, 1 for HTTP/1.1 and later
 * @param headers the headers
 */
record HttpHead(HttpMethod method, HttpTarget target, int minorVersion, HttpHeaders headers) {
    /** {@return whether the client wants to keep the connection} */
    boolean isKeepAlive() {
        return headers.isKeepAlive(minorVersion);
    }
}
