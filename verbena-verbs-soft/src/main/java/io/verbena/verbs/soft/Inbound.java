// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * The incoming half of a wire, as {@link Responder} sees it: the peer's frames, and our answers to
 * them. Used inside the queue pair's turn, except for {@link #looksReady}.
 *
 * <p>The peer may be hostile. A frame is read once and checked, see {@link
 * InboundFrame#isWellFormed}.
 */
interface Inbound {
    /** {@return the frame that the last successful poll has read; always the same object} */
    InboundFrame frame();

    /** Reads the next frame; {@return false if there is none, or the sender was asked to wait} */
    boolean pollFrame();

    /** Goes on to the next frame: the polled one was executed. */
    void done();

    /**
     * Publishes what was executed.
     *
     * @param isEager whether to do so at once even if nobody waits for it, rather than leave it to
     *     a frame that may follow
     */
    void acknowledge(boolean isEager);

    /** Has the sender try the polled frame again after a while, since no receive is posted. */
    void pause(int rnrTimer);

    /** Publishes why the polled frame, and with it everything behind it, is not executed. */
    void refuse(int syndrome);

    /**
     * {@return whether the sender has given up what it sent} Ask after copying: if it has not by
     * then, the copied bytes were still the sender's.
     */
    boolean isGivenUp();

    /** Promises the sender not to touch its frames or its memory any more, and rings for that. */
    void detach();

    /** {@return whether a frame waits or an answer is owed; a hint, for any thread} */
    boolean looksReady();
}
