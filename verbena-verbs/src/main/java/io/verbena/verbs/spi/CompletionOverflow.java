// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;

/** The failure every device reports when an overflowed completion queue is polled. */
public final class CompletionOverflow {
    private CompletionOverflow() {}

    /**
     * {@return the failure of a poll}
     *
     * @param depth how many completions the queue can hold
     */
    public static VerbsException failure(int depth) {
        return new VerbsException(
                "ibv_poll_cq",
                Errno.EIO,
                "the completion queue of "
                        + depth
                        + " has overflowed and completions are lost; close it with its queue pairs,"
                        + " and poll more often or create it with room for every request they may"
                        + " have outstanding");
    }
}
