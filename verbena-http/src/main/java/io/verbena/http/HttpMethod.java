// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The methods of HTTP; by them a request is recognized on a port that also serves other protocols.
 */
enum HttpMethod {
    GET,
    POST,
    HEAD,
    PUT,
    DELETE,
    OPTIONS,
    PATCH,
    TRACE,
    CONNECT;

    private static final HttpMethod[] ALL = values();

    @SuppressWarnings("ImmutableEnumChecker") // never written after construction
    private final byte[] token;

    HttpMethod() {
        this.token = (name() + " ").getBytes(StandardCharsets.US_ASCII);
    }

    /** {@return the length of its name and the space after it} */
    int tokenLength() {
        return token.length;
    }

    /**
     * {@return whether bytes begin with a method, or are the beginning of one}
     *
     * @param bytes the first received bytes
     * @param length how many of them there are
     */
    static boolean mayBegin(byte[] bytes, int length) {
        for (HttpMethod method : ALL) {
            int compared = Math.min(length, method.token.length);
            if (Arrays.equals(method.token, 0, compared, bytes, 0, compared)) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return the method at the front}
     *
     * @param bytes a request for which {@link #mayBegin} is true
     * @param length at least that of the longest method
     */
    static HttpMethod at(byte[] bytes, int length) {
        for (HttpMethod method : ALL) {
            int end = method.token.length;
            if (length >= end && Arrays.equals(method.token, 0, end, bytes, 0, end)) {
                return method;
            }
        }
        throw new IllegalArgumentException(
                "request: without a method (expected: one at its front)");
    }
}
