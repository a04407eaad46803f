// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.TransportException;

/**
 * Why one try of a call failed.
 *
 * @param code brpc's code
 * @param text the reason, with brpc's prefix {@code [E<code>]}
 * @param isFromServer whether the server answered with this failure, so its connection is still
 *     good
 */
record TryFailure(int code, String text, boolean isFromServer) {
    /** No failure. */
    static final TryFailure NONE = new TryFailure(0, "", false);

    boolean isNone() {
        return code == 0;
    }

    static TryFailure of(RpcError error, String detail) {
        return of(error.code(), detail);
    }

    static TryFailure of(int code, String detail) {
        return new TryFailure(code, "[E" + code + "]" + detail, false);
    }

    static TryFailure fromServer(int code, String text) {
        return new TryFailure(code, "[E" + code + "]" + text, true);
    }

    static TryFailure of(TransportException cause) {
        return new TryFailure(cause.code(), cause.getMessage(), false);
    }
}
