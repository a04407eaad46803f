// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.Locale;

/** Where the service runs that answers the calls of a measurement. */
public enum ServiceKind {
    /** On the thread that receives; it must not block. */
    NONBLOCKING,
    /** Wherever the system runs a service by default; it may block. */
    ORDINARY;

    /** {@return its name in reports and on the command line} */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
