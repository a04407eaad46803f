// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** Is told of changes of a {@link SocketStream}. Any thread calls it; it must not block. */
interface StreamWatcher {
    /** A message has arrived. */
    void onReadable();

    /** The window has room again, or the stream is connected. */
    void onWritable();

    /** The stream has ended; what arrived before can still be polled. Called once. */
    void onEnded();
}
