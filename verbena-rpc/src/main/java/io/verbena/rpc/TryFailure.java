// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPoolException;
import io.verbena.rpc.wire.RpcMeta;
import io.verbena.transport.TransportException;
import java.io.IOException;

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

    /** Made in advance, for when there is no memory to describe a failure. */
    private static final TryFailure UNDESCRIBED = of(RpcError.EINTERNAL, "out of memory");

    boolean isNone() {
        return code == 0;
    }

    /** {@return a failure} Never throws. */
    static TryFailure of(RpcError error, String detail) {
        return of(error.code(), detail);
    }

    /** {@return a failure} Never throws. */
    static TryFailure of(int code, String detail) {
        try {
            return new TryFailure(code, "[E" + code + "]" + detail, false);
        } catch (OutOfMemoryError e) {
            return UNDESCRIBED;
        }
    }

    /** {@return the failure of a try that foreign code has ended by throwing} Never throws. */
    static TryFailure of(RpcError error, String what, Throwable fault) {
        return of(error, Faults.describe(what, fault));
    }

    /** {@return what a protocol has reported, a success too} Never throws. */
    static TryFailure reported(int code, String text) {
        try {
            return code == 0 ? NONE : new TryFailure(code, text, false);
        } catch (OutOfMemoryError e) {
            return UNDESCRIBED;
        }
    }

    /** {@return the failure that a server has answered with} Never throws. */
    static TryFailure fromServer(RpcMeta meta) {
        int code = meta.errorCode();
        try {
            return new TryFailure(code, "[E" + code + "]" + meta.errorText().toText(), true);
        } catch (OutOfMemoryError e) {
            return UNDESCRIBED;
        }
    }

    /** {@return the failure of a try whose connection has failed} Never throws. */
    static TryFailure of(TransportException cause) {
        try {
            return of(cause.code(), cause.detail());
        } catch (OutOfMemoryError e) {
            return UNDESCRIBED;
        }
    }

    /**
     * {@return the failure of a try whose request was not sent} Never throws.
     *
     * @param fault what was thrown
     * @param isBuilt whether the connection threw it, not the message
     */
    static TryFailure unsent(Throwable fault, boolean isBuilt) {
        String what = "the request cannot be sent";
        return switch (fault) {
            case TransportException e when isBuilt -> of(e);
            case BlockPoolException e -> of(RpcError.ERDMAMEM, what, e);
            case IOException e -> of(RpcError.EREQUEST, what, e);
            case RuntimeException e -> of(RpcError.EREQUEST, what, e);
            default -> of(RpcError.EINTERNAL, what, fault);
        };
    }
}
