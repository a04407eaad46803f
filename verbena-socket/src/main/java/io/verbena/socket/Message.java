// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.nio.charset.StandardCharsets;

/** A message of a queue, with its sender. The bytes belong to the receiver. */
public final class Message {
    private final int nodeId;
    private final boolean hasMore;
    private final byte[] bytes;

    Message(int nodeId, boolean hasMore, byte[] bytes) {
        this.nodeId = nodeId;
        this.hasMore = hasMore;
        this.bytes = bytes;
    }

    /** {@return the node id of its sender} */
    public int nodeId() {
        return nodeId;
    }

    /** {@return whether the next message belongs to the same group} */
    public boolean hasMore() {
        return hasMore;
    }

    /** {@return its bytes, not a copy} */
    public byte[] bytes() {
        return bytes;
    }

    /** {@return its bytes as UTF-8 text} */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "message of node "
                + nodeId
                + ", "
                + bytes.length
                + " bytes"
                + (hasMore ? ", more to come" : "");
    }
}
