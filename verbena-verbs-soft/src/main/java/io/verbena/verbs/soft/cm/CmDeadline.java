// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.util.concurrent.Future;

/**
 * Something that happens after a while unless it is cancelled, see {@link CmThreads#after}.
 *
 * @param action what happens
 */
record CmDeadline(Future<?> action) {
    /** Stops it. An action that has begun goes on. */
    void cancel() {
        action.cancel(false);
    }
}
