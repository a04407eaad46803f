// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Message;

/**
 * What the peer sends in one direction of a call. The protocol implements this and keeps what has
 * arrived; its memory is bounded because it lets the peer send more only as messages are polled.
 *
 * <p>Threads: one at a time polls; {@link #isEnded} and {@link #close} may be called by any.
 */
public interface MessageSource {
    /**
     * {@return the next message, or null if none has arrived} On the path of every message, so no
     * Optional. Never blocks.
     *
     * @param <M> the message's class
     * @param prototype an instance of the message's class
     * @throws io.verbena.rpc.RpcException if it cannot be decoded; the call is then canceled
     */
    <M extends Message> M poll(M prototype);

    /** {@return whether the peer has sent its last message; some may still have to be polled} */
    boolean isEnded();

    /** Nobody polls any more: drops what has arrived and what will arrive. Idempotent. */
    void close();
}
