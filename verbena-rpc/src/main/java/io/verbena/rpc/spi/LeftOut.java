// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What cannot be used of a list that is read again and again. Each part is logged once, until a
 * list is without it. One thread at a time.
 */
public final class LeftOut {
    private static final Logger LOG = LoggerFactory.getLogger(LeftOut.class);

    private Set<String> last = Set.of();

    /** Nothing was left out yet. */
    public LeftOut() {}

    /**
     * A list has been read.
     *
     * @param parts all that is left out of it, each with the reason
     */
    public void report(Map<String, ? extends Exception> parts) {
        parts.forEach(
                (part, reason) -> {
                    if (!last.contains(part)) {
                        LOG.warn("left out: {}: {}", part, reason.toString());
                    }
                });
        last = Set.copyOf(parts.keySet());
    }
}
