// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

/** The fields of a stripe that threads change, kept off the cache lines of its neighbours. */
final class StripeFields {
    private StripeFields() {}

    /** Padding before the fields. */
    abstract static class LeftPadding {
        long l00, l01, l02, l03, l04, l05, l06, l07, l08, l09, l10, l11, l12, l13, l14, l15;
    }

    /** The fields. */
    abstract static class Hot extends LeftPadding {
        int busy;
        int size;
    }

    /** Padding after the fields. */
    abstract static class RightPadding extends Hot {
        long r00, r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r15;
    }
}
