// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;

/** One write on its way from a thread that may not post to the one that does. */
final class WriteCarrier {
    private final IOBuf bytes;
    private final int place;
    private WriteCarrier next;

    WriteCarrier(IOBuf bytes, int place) {
        this.bytes = bytes;
        this.place = place;
    }

    IOBuf bytes() {
        return bytes;
    }

    /** {@return its place among the {@link io.verbena.memory.internal.Spares}} */
    int place() {
        return place;
    }

    /** {@return the one below in the stack, or null} */
    WriteCarrier next() {
        return next;
    }

    void next(WriteCarrier carrier) {
        next = carrier;
    }
}
