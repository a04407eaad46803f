// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * A call failed. Blocking calls throw it, and the futures of other calls fail with it; a service
 * throws it to choose the code and text that its client gets.
 */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String text;

    /**
     * A failure.
     *
     * @param code brpc's code, or a code of the service; not 0
     * @param text what went wrong; on a client, with brpc's prefixes
     */
    public RpcException(int code, String text) {
        super(ErrorText.readable(code, text));
        if (code == 0) {
            throw new IllegalArgumentException("code: 0 (expected: an error code)");
        }
        this.code = code;
        this.text = text == null ? "" : text;
    }

    /**
     * A failure.
     *
     * @param error says what kind
     * @param text what went wrong
     */
    public RpcException(RpcError error, String text) {
        this(error.code(), text);
    }

    /** {@return the error code, usually one of {@link RpcError}} */
    public int code() {
        return code;
    }

    /**
     * {@return what went wrong, as it was given; empty if unknown} {@link #getMessage} says the
     * same to people: the cause first, with its name, and the tries after it.
     */
    public String text() {
        return text;
    }
}
