// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the list of a channel's servers is what its registry says now. Logs the first of a series
 * of failures, and its end. For one thread at a time; any thread may read {@link #problem}.
 */
final class NamingHealth {
    private static final Logger LOG = LoggerFactory.getLogger(NamingHealth.class);

    private final String name;
    private volatile String problem = "";

    NamingHealth(String name) {
        this.name = name;
    }

    /** {@return why the last good list is in use; empty if the list is current} */
    String problem() {
        return problem;
    }

    /** The registry has answered, and the answer is in use. */
    void good(int servers) {
        if (!problem.isEmpty()) {
            problem = "";
            LOG.info("{}: the registry answers again, with {} servers", name, servers);
        }
    }

    /** The registry, or what it said, cannot be used. */
    void bad(String reason, int kept) {
        boolean isFirst = problem.isEmpty();
        problem = reason;
        if (isFirst) {
            LOG.warn("{}: {}; keeping the last good list of {} servers", name, reason, kept);
        }
    }

    void bad(Throwable cause, int kept) {
        bad(Faults.describe(cause), kept);
    }
}
