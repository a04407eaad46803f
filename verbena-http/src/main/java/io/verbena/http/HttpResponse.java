// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer that is not yet encoded.
 *
 * @param status the status
 * @param headers further headers, without those for the body's length and the connection; names and
 *     values never come from a peer
 * @param body is emptied when the answer is sent
 */
record HttpResponse(HttpStatus status, Map<String, String> headers, IOBuf body) {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String ERROR_CODE = "x-bd-error-code";

    /** {@return an answer with a body of bytes} */
    static HttpResponse of(HttpStatus status, String contentType, IOBuf body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", contentType);
        return new HttpResponse(status, headers, body);
    }

    /** {@return an answer that is a line of text} */
    static HttpResponse text(HttpStatus status, String text, BlockPool pool) {
        return of(status, TEXT, pool.buffer().append(text + "\n"));
    }

    /** {@return the answer to a call that failed} */
    static HttpResponse failure(int errorCode, String errorText, BlockPool pool) {
        return text(HttpStatus.of(errorCode), "[E" + errorCode + "]" + errorText, pool)
                .with(ERROR_CODE, Integer.toString(errorCode));
    }

    /** {@return the answer to a request with the wrong method} */
    static HttpResponse methodNotAllowed(HttpMethod method, String allowed, BlockPool pool) {
        return text(
                        HttpStatus.METHOD_NOT_ALLOWED,
                        "method: " + method + " (expected: " + allowed + ")",
                        pool)
                .with("Allow", allowed);
    }

    /** {@return this, with one more header} */
    HttpResponse with(String name, String value) {
        headers.put(name, value);
        return this;
    }
}
