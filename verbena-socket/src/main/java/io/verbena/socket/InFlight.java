// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.util.Optional;

/**
 * The messages that were announced to a peer and not yet acknowledged. What a peer sends back is
 * only ever looked up here, never used as an address: one that is not in the table is a protocol
 * violation.
 *
 * <p>Threads: the holder of the loop's turn.
 */
final class InFlight {
    private static final int CAPACITY = 64;

    private final Payload[] payloads = new Payload[CAPACITY];
    private final long[] cookies = new long[CAPACITY];
    private long lastCookie;
    private long oldest = 1;
    private int emptyMessages;
    private int count;

    boolean hasRoom() {
        return payloads[index(lastCookie + 1)] == null;
    }

    /** {@return the cookie of a message, which is in flight from now on; 0 for an empty message} */
    long add(Payload payload) {
        count++;
        if (payload.length() == 0) {
            emptyMessages++;
            return 0;
        }
        lastCookie++;
        payloads[index(lastCookie)] = payload;
        cookies[index(lastCookie)] = lastCookie;
        return lastCookie;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** {@return the message that an acknowledgement names, no longer in flight} */
    Optional<Payload> tryRemove(long address, long cookie) {
        if (cookie == 0 && address == 0 && emptyMessages > 0) {
            emptyMessages--;
            count--;
            return Optional.of(Payload.EMPTY);
        }
        int index = index(cookie);
        Payload payload = payloads[index];
        if (payload == null || cookies[index] != cookie || payload.address() != address) {
            return Optional.empty();
        }
        payloads[index] = null;
        count--;
        return Optional.of(payload);
    }

    /** {@return the oldest message, no longer in flight} */
    Optional<Payload> tryRemoveOldest() {
        if (oldest > lastCookie) {
            return Optional.empty();
        }
        int index = index(oldest++);
        Payload payload = payloads[index];
        payloads[index] = null;
        count--;
        return Optional.of(payload);
    }

    /** Gives back the memory of all messages. The device no longer answers reads. */
    void release() {
        for (int i = 0; i < CAPACITY; i++) {
            if (payloads[i] != null) {
                payloads[i].release();
                payloads[i] = null;
            }
        }
    }

    @Override
    public String toString() {
        return Integer.toString(count);
    }

    private static int index(long cookie) {
        return (int) cookie & CAPACITY - 1;
    }
}
