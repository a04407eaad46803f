// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

/** Decides how many calls of a method may run concurrently. Any thread; never blocks. */
public interface ConcurrencyLimiter {
    /** No limit. */
    ConcurrencyLimiter UNLIMITED = new ConstantLimiter(0);

    /**
     * {@return whether a call may go on}
     *
     * @param concurrency calls under way, including this one
     * @param timeoutMs how long its client waits, or -1
     */
    boolean isAllowed(int concurrency, int timeoutMs);

    /**
     * A call that was allowed is over.
     *
     * @param latencyUs how long it took
     * @param errorCode how it ended; 0 means success
     */
    void onEnd(long latencyUs, int errorCode);

    /** {@return the current limit on concurrent calls; 0 means no limit} */
    int maxConcurrency();

    /**
     * {@return a limiter}
     *
     * @param text {@code unlimited}, a number, {@code auto} or {@code timeout}
     * @param settings the initial values of limiters
     * @throws IllegalArgumentException if the text is something else
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
