// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that has arrived: a frame of messages in a receive slot, or one message that was or
 * will be read. Filled by the holder of the loop's turn; {@link #isReady} publishes it to the
 * reader.
 */
final class InboxEntry {
    /** Instead of a slot: the message is in {@link #payload}. */
    static final int NO_SLOT = -1;

    private static final VarHandle READY;

    static {
        try {
            READY = MethodHandles.lookup().findVarHandle(InboxEntry.class, "ready", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    int slot;
    int length;
    int flag;
    long remoteAddress;
    long cookie;
    int rkey;
    Payload payload;

    @SuppressWarnings("unused") // accessed through READY
    private boolean ready;

    /** Reuses the entry for a frame. */
    void frame(int receiveSlot, int bytes) {
        slot = receiveSlot;
        length = bytes;
        flag = 0;
        payload = null;
        READY.setRelease(this, true);
    }

    /** Reuses the entry for a message to be read. */
    void message(int bytes, int messageFlag, long address, long mark, int key) {
        slot = NO_SLOT;
        length = bytes;
        flag = messageFlag;
        remoteAddress = address;
        cookie = mark;
        rkey = key;
        payload = null;
        READY.setRelease(this, false);
    }

    boolean isFrame() {
        return slot != NO_SLOT;
    }

    void readyRelease() {
        READY.setRelease(this, true);
    }

    boolean isReady() {
        return (boolean) READY.getAcquire(this);
    }
}
