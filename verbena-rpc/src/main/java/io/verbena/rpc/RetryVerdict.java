// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * What a channel's retry policy says about a failed try. Asking it never throws: a policy that
 * throws has said no, and its own failure becomes that of the call.
 *
 * @param isRetried whether another try follows
 * @param isOverTcp whether it follows because RDMA has failed, and TCP may work
 * @param backoffNs how long to wait first
 * @param fault how the policy itself failed, or NONE
 */
record RetryVerdict(boolean isRetried, boolean isOverTcp, long backoffNs, TryFailure fault) {
    /** The last try. */
    static final RetryVerdict NO = new RetryVerdict(false, false, 0, TryFailure.NONE);

    private static final RetryVerdict AT_ONCE = new RetryVerdict(true, false, 0, TryFailure.NONE);
    private static final RetryVerdict OVER_TCP = new RetryVerdict(true, true, 0, TryFailure.NONE);

    /**
     * {@return what the policy of a call says, which is not asked if TCP is to be tried instead of
     * RDMA} The owner.
     *
     * @param call the call, which has tries and time left
     * @param code the error code of the failed try
     * @param retries how many retries came before
     */
    static RetryVerdict of(PendingCall call, int code, int retries) {
        ChannelOptions options = call.settings.options();
        boolean isForTcp =
                RetriedCodes.isOfRdma(code)
                        && options.isRdmaFailureRetriedOnTcp()
                        && !call.isTcpForced;
        return isForTcp ? OVER_TCP : of(options.retryPolicy(), code, retries);
    }

    /**
     * {@return what a policy says}
     *
     * @param code the error code of the failed try
     * @param retries how many retries came before
     */
    static RetryVerdict of(RetryPolicy policy, int code, int retries) {
        try {
            if (!policy.isRetried(code)) {
                return NO;
            }
            long backoffNs = policy.backoffNs(retries);
            return backoffNs <= 0
                    ? AT_ONCE
                    : new RetryVerdict(true, false, backoffNs, TryFailure.NONE);
        } catch (Throwable e) {
            TryFailure fault = TryFailure.of(RpcError.EINTERNAL, "the retry policy failed", e);
            return new RetryVerdict(false, false, 0, fault);
        }
    }

    /** {@return the code of a call that ends here} */
    int code(int ofTry) {
        return fault.isNone() ? ofTry : fault.code();
    }

    /** {@return the error text of a call that ends here} */
    String text(String ofTries) {
        try {
            return fault.isNone() ? ofTries : ofTries + " " + fault.text();
        } catch (OutOfMemoryError e) {
            return ofTries;
        }
    }
}
