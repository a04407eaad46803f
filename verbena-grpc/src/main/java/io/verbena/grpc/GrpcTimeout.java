// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import java.util.concurrent.TimeUnit;

/** The header {@code grpc-timeout}: at most eight digits, and a unit. */
final class GrpcTimeout {
    /** Returned for a text that is no timeout. */
    static final int MALFORMED = -1;

    private static final int MAX_DIGITS = 8;
    private static final long MAX_NUMBER = 99_999_999;

    private GrpcTimeout() {}

    /** {@return milliseconds, rounded up and at least 1, or {@link #MALFORMED}} */
    static int parseMs(CharSequence text) {
        int digits = text.length() - 1;
        if (digits < 1 || digits > MAX_DIGITS) {
            return MALFORMED;
        }
        long number = 0;
        for (int i = 0; i < digits; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return MALFORMED;
            }
            number = number * 10 + (digit - '0');
        }
        return switch (text.charAt(digits)) {
            case 'H' -> toMs(number, TimeUnit.HOURS);
            case 'M' -> toMs(number, TimeUnit.MINUTES);
            case 'S' -> toMs(number, TimeUnit.SECONDS);
            case 'm' -> toMs(number, TimeUnit.MILLISECONDS);
            case 'u' -> toMs(number + 999, TimeUnit.MICROSECONDS);
            case 'n' -> toMs(number + 999_999, TimeUnit.NANOSECONDS);
            default -> MALFORMED;
        };
    }

    private static int toMs(long number, TimeUnit unit) {
        return Math.clamp(unit.toMillis(number), 1, Integer.MAX_VALUE);
    }

    /** {@return the header's value} */
    static String format(long ms) {
        return ms <= MAX_NUMBER ? ms + "m" : Math.min(ms / 1000, MAX_NUMBER) + "S";
    }
}
