// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** Whose completion it is: what a {@link CompletionRing} needs to know of a queue pair. */
interface CompletionOwner {
    /** {@return a number that changes when completions made before are void} */
    int generation();

    /** {@return the number completions name} */
    int number();

    /** Gives back the send-queue slots below an index; called by polling threads. */
    void freeSendSlots(long index);
}
