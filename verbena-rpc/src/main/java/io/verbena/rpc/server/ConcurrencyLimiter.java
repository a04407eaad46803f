// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

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
     * @param settings where limiters begin
     * @throws IllegalArgumentException if it is something else
     */
    static ConcurrencyLimiter of(String text, LimiterSettings settings) {
        return switch (text) {
            case "", "unlimited" -> UNLIMITED;
            case "auto" ->
                    new AutoLimiter(
                            settings.autoInitial(), settings.rejectionCode(), System::nanoTime);
            case "timeout" -> new TimeoutLimiter(settings.timeoutMax());
            default -> ConstantLimiter.of(text);
        };
    }
}
