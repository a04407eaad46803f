// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

/** A fixed limit on concurrent calls. */
final class ConstantLimiter implements ConcurrencyLimiter {
    private final int max;

    /**
     * A limit.
     *
     * @param max the limit; 0 means none
     */
    ConstantLimiter(int max) {
        this.max = max;
    }

    static ConstantLimiter of(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return new ConstantLimiter(number);
            }
        } catch (NumberFormatException e) {
            throw refuse(text, e);
        }
        throw refuse(text, null);
    }

    private static IllegalArgumentException refuse(String text, Throwable cause) {
        return new IllegalArgumentException(
                "max_concurrency: "
                        + text
                        + " (expected: unlimited, a number >= 0, auto or timeout)",
                cause);
    }

    @Override
    public boolean isAllowed(int concurrency, int timeoutMs) {
        return max == 0 || concurrency <= max;
    }

    @Override
    public void onEnd(long latencyUs, int errorCode) {}

    @Override
    public int maxConcurrency() {
        return max;
    }
}
