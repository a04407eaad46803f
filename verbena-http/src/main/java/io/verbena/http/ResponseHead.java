// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/**
 * Status line and headers of a response.
 *
 * @param status the status code
 * @param reason the reason phrase, which may be empty
 * @param minorVersion 0 for HTTP/1.0, 1 for HTTP/1.1 and later
 * @param headers the headers
 */
record ResponseHead(int status, String reason, int minorVersion, HttpHeaders headers) {
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final int SUCCESS = 2;

    /** {@return whether the request was carried out} */
    boolean isSuccess() {
        return status / 100 == SUCCESS;
    }

    /** {@return whether the final response is still to come} */
    boolean isInterim() {
        return status / 100 == 1;
    }

    /** {@return whether there is no body, whatever the headers say} */
    boolean isWithoutBody() {
        return status == NO_CONTENT || status == NOT_MODIFIED;
    }

    /** {@return whether the server keeps the connection} */
    boolean isKeepAlive() {
        return headers.isKeepAlive(minorVersion);
    }

    /** {@return the status line, as errors show it} */
    String line() {
        String line = "HTTP/1." + minorVersion + " " + status;
        return reason.isEmpty() ? line : line + " " + reason;
    }
}
