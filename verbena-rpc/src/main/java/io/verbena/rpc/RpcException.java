// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.ServiceException;

/** A call that was waited for has failed. */
public final class RpcException extends ServiceException {
    private static final long serialVersionUID = 1L;

    private final int code;

    /**
     * A failure.
     *
     * @param code brpc's number, or one of the service's own
     * @param text what went wrong, with brpc's prefixes
     */
    public RpcException(int code, String text) {
        super(text);
        this.code = code;
    }

    /** {@return the number of the failure, mostly one of {@link RpcError}} */
    public int code() {
        return code;
    }
}
