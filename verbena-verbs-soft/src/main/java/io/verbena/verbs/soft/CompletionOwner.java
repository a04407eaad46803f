// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** The owner of a completion: what a {@link CompletionRing} needs to know about a queue pair. */
interface CompletionOwner {
    /** {@return a number that changes when all earlier completions become void} */
    int generation();

    /** {@return the number that completions carry} */
    int number();

    /** Gives back the send-queue slots below an index; called by polling threads. */
    void freeSendSlots(long index);
}
