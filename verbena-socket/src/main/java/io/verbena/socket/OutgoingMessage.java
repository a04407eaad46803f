// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A message that is written straight into memory the peer can read: it is sent without a copy.
 *
 * <p>Ownership: send it or close it; closing after sending does nothing. Threads: one at a time.
 */
public final class OutgoingMessage implements AutoCloseable {
    private final SendingHalf sending;
    private final Payload payload;
    private boolean isGone;

    OutgoingMessage(SendingHalf sending, Payload payload) {
        this.sending = sending;
        this.payload = payload;
    }

    /** {@return where to write it; valid until it is sent or closed} */
    public MemorySegment memory() {
        checkPresent();
        return payload.memory().asSlice(0, payload.length());
    }

    /**
     * Sends it, waiting for room if necessary.
     *
     * @throws IOException if the connection does not accept it; it can then be sent again
     */
    public void send() throws IOException {
        send(0);
    }

    /**
     * Sends it as a frame of a group that continues.
     *
     * @throws IOException if the connection does not accept it; it can then be sent again
     */
    public void sendMore() throws IOException {
        send(MetaData.MORE);
    }

    private void send(int flag) throws IOException {
        checkPresent();
        sending.send(payload, flag);
        isGone = true;
    }

    private void checkPresent() {
        if (isGone) {
            throw new IllegalStateException("the message is sent or closed");
        }
    }

    @Override
    public void close() {
        if (!isGone) {
            isGone = true;
            payload.release();
        }
    }
}
