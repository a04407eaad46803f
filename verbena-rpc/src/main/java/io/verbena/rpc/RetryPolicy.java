// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.BitSet;
import java.util.List;

/** Decides which failures are retried: those where the server did not run the call. */
final class RetryPolicy {
    private static final BitSet CODES = new BitSet();

    static {
        List.of(
                        RpcError.EFAILEDSOCKET,
                        RpcError.EEOF,
                        RpcError.EHOSTDOWN,
                        RpcError.ELOGOFF,
                        RpcError.ETIMEDOUT,
                        RpcError.ELIMIT,
                        RpcError.ENOENT,
                        RpcError.EPIPE,
                        RpcError.ECONNREFUSED,
                        RpcError.ECONNRESET,
                        RpcError.ENODATA,
                        RpcError.EOVERCROWDED,
                        RpcError.EH2RUNOUTSTREAMS)
                .forEach(error -> CODES.set(error.code()));
    }

    private RetryPolicy() {}

    /** {@return whether a call that failed with this code is retried} */
    static boolean isRetried(int code) {
        return code > 0 && CODES.get(code);
    }

    /** {@return whether RDMA failed, so that TCP may work} */
    static boolean isOfRdma(int code) {
        return code == RpcError.ERDMA.code() || code == RpcError.ERDMAMEM.code();
    }
}
