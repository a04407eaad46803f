// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;

/** What a {@link ServerStream} is for: gets what the client sends. In the link's turn. */
interface Receiver {
    /**
     * Data have arrived. Their bytes stay in the window of the stream until they are credited.
     *
     * @param data is read to its end
     * @return how many bytes of an incomplete message there are now
     */
    long onData(ByteBuf data) throws MalformedMessageException;

    /** The client has sent its last message. */
    void onEnd() throws MalformedMessageException;

    /** A message of a service of this module has left, or never will. */
    default void onWritten() {}

    /** The stream is over: answered, reset, or lost with its connection. Called once. */
    void onClosed();
}
