// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Optional;

/** Is told of changes of a {@link SocketStream}. Any thread calls it; it must not block. */
interface StreamWatcher {
    /** A message has arrived. */
    void onReadable();

    /** The window has room again, or the stream is connected. */
    void onWritable();

    /**
     * The stream has ended; what arrived before can still be polled. Called once.
     *
     * @param failure why, unless one side has closed it
     */
    void onEnded(Optional<RpcException> failure);

    /**
     * The stream has ended because the peer has reset it: the peer does not know it, or refuses its
     * data. Called in place of {@link #onEnded}.
     */
    default void onReset(RpcException failure) {
        onEnded(Optional.of(failure));
    }
}
