// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.BitSet;
import java.util.List;

/** Which failures are worth another try: those where the server has not run the call. */
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

    /** {@return whether a call that failed so is tried again} */
    static boolean isRetried(int code) {
        return code > 0 && CODES.get(code);
    }

    /** {@return whether the failure is one of RDMA, where TCP may work} */
    static boolean isOfRdma(int code) {
        return code == RpcError.ERDMA.code() || code == RpcError.ERDMAMEM.code();
    }
}
