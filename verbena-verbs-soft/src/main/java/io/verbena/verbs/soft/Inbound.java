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

    /** Reads the next frame; {@return false if there is none or the sender was asked to wait} */
    boolean pollFrame();

    /** Moves on to the next frame: the polled one was executed. */
    void done();

    /**
     * Publishes how far frames were executed.
     *
     * @param isEager whether to publish at once even if nobody waits for it, rather than leave it
     *     to a frame that may follow
     */
    void acknowledge(boolean isEager);

    /** Makes the sender retry the polled frame after a while, because no receive is posted. */
    void pause(int rnrTimer);

    /** Publishes why the polled frame and everything behind it is not executed. */
    void refuse(int syndrome);

    /**
     * {@return whether the sender has given up what it sent} Ask after copying: if it has not given
     * up by then, the copied bytes were valid.
     */
    boolean isGivenUp();

    /**
     * Announces that what the polled frame describes is about to be written, so that the sender
     * does not give it back to its user meanwhile.
     *
     * @return false if the sender has given it up: then it must not be written any more
     */
    boolean tryBeginAnswer();

    /** It was written, or cannot be. */
    void endAnswer();

    /** Promises the sender not to touch its frames or its memory any more, and rings its bell. */
    void detach();

    /** {@return whether a frame waits or an answer is due; a hint, for any thread} */
    boolean looksReady();
}
