// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** A request that is answered with an error. If it could not even be read, the connection ends. */
final class RefusedRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    private final HttpStatus status;

    /** Without a stack trace: peers can cause it at will, and its text says everything. */
    RefusedRequestException(HttpStatus status, String text) {
        super(text, null, false, false);
        this.status = status;
    }

    static RefusedRequestException bad(String text) {
        return new RefusedRequestException(HttpStatus.BAD_REQUEST, text);
    }

    HttpStatus status() {
        return status;
    }
}
