// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.WorkCompletion;

/** A connection whose completions {@link SharedContext} polls. Called on the poller thread. */
interface CompletionHandler extends AutoCloseable {
    /**
     * A work request of this connection is done. Throws nothing: the connection handles its own
     * failures.
     *
     * @param completion the cursor; valid during the call
     */
    void onCompletion(WorkCompletion completion);

    /**
     * There will be no more completions: polling failed.
     *
     * @param failure why
     */
    void onFailure(RuntimeException failure);

    /** Releases what the connection holds. */
    @Override
    void close();
}
