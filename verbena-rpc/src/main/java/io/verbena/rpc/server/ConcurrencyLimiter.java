// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.RpcFlags;

/** Decides how many calls of a method there may be at a time. Any thread; never blocks. */
public interface ConcurrencyLimiter {
    /** No limit. */
    ConcurrencyLimiter UNLIMITED = new ConstantLimiter(0);

    /**
     * {@return whether a call may go on}
     *
     * @param concurrency calls under way, with this one
     * @param timeoutMs how long its client waits, or -1
     */
    boolean isAllowed(int concurrency, int timeoutMs);

    /**
     * A call that was allowed is over.
     *
     * @param latencyUs how long it took
     * @param errorCode how it went, 0 for well
     */
    void onEnd(long latencyUs, int errorCode);

    /** {@return the most calls at a time that are allowed now; 0 is no limit} */
    int maxConcurrency();

    /**
     * {@return a limiter}
     *
     * @param text {@code unlimited}, a number, {@code auto} or {@code timeout}
     * @param flags where limiters begin
     * @throws IllegalArgumentException if it is something else
     */
    static ConcurrencyLimiter of(String text, RpcFlags flags) {
        return switch (text) {
            case "", "unlimited" -> UNLIMITED;
            case "auto" ->
                    new AutoLimiter(
                            (int) flags.number(RpcFlag.AUTO_CL_INITIAL_MAX_CONCURRENCY),
                            System::nanoTime);
            case "timeout" ->
                    new TimeoutLimiter((int) flags.number(RpcFlag.TIMEOUT_CL_MAX_CONCURRENCY));
            default -> ConstantLimiter.of(text);
        };
    }
}
