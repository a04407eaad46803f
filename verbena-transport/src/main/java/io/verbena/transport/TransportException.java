// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.util.Objects;

/**
 * Why a connection cannot do what was asked, or why it ended. Also used as a value: a handler is
 * passed one as the reason why its connection ended.
 */
public class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final TransportError error;
    private final String detail;

    /**
     * A failure with an explanation.
     *
     * @param error which
     * @param detail the values that matter and what to do
     */
    public TransportException(TransportError error, String detail) {
        this(error, detail, null);
    }

    /**
     * A failure with an explanation and a cause.
     *
     * @param error which
     * @param detail the values that matter and what to do
     * @param cause the underlying failure, or null
     */
    public TransportException(TransportError error, String detail, Throwable cause) {
        super(error + " (" + error.code() + "): " + detail, cause);
        this.error = Objects.requireNonNull(error, "error");
        this.detail = detail;
    }

    /** {@return which failure} */
    public TransportError error() {
        return error;
    }

    /** {@return the explanation alone: the message without the name and number of the failure} */
    public String detail() {
        return detail;
    }

    /** {@return brpc's number of the failure} */
    public int code() {
        return error.code();
    }
}
