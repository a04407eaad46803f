// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.Locale;

/** Who makes the calls of a measurement. */
public enum CallerKind {
    /** Callbacks: each answer makes the next call, on the thread that brought it. */
    INLINE,
    /** A platform thread with a blocking stub. */
    PLATFORM,
    /** Virtual threads, each with a blocking stub. */
    VIRTUAL;

    /** {@return its name in reports and on the command line} */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return whether a caller waits for its answer} */
    public boolean isBlocking() {
        return this != INLINE;
    }
}
