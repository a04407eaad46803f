// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.MetaWriter;

/** What a frame is made in: for one frame after the other, one thread at a time. */
final class FrameBuilder {
    private final MetaWriter meta = new MetaWriter();
    private final IOBuf frame;
    private final IOBuf payload;

    /** Its place among the spares. */
    private final int place;

    FrameBuilder(IOBuf frame, IOBuf payload, int place) {
        this.frame = frame;
        this.payload = payload;
        this.place = place;
    }

    MetaWriter meta() {
        return meta;
    }

    IOBuf frame() {
        return frame;
    }

    /** {@return room for a payload that must be complete before the meta} */
    IOBuf payload() {
        return payload;
    }

    int place() {
        return place;
    }

    void clear() {
        frame.clear();
        payload.clear();
    }
}
