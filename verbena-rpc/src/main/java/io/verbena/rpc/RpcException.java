// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.ServiceException;

/** A blocking call, or the future of a call, failed. */
public final class RpcException extends ServiceException {
    private static final long serialVersionUID = 1L;

    private final int code;

    /**
     * A failure.
     *
     * @param code brpc's code, or a code of the service
     * @param text what went wrong, with brpc's prefixes
     */
    public RpcException(int code, String text) {
        super(text);
        this.code = code;
    }

    /** {@return the error code, usually one of {@link RpcError}} */
    public int code() {
        return code;
    }
}
