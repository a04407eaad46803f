// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.BitSet;
import java.util.List;

/** brpc's list of retried codes: those where the server did not run the call. */
final class RetriedCodes {
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

    private RetriedCodes() {}

    static boolean contains(int code) {
        return code > 0 && CODES.get(code);
    }

    /** {@return whether RDMA failed, so that TCP may work} */
    static boolean isOfRdma(int code) {
        return code == RpcError.ERDMA.code() || code == RpcError.ERDMAMEM.code();
    }
}
