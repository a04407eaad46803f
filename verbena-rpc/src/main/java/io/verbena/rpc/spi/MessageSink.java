// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Message;

/**
 * What this side sends in one direction of a call. The protocol implements this.
 *
 * <p>Threads: any; the caller makes sure that one at a time writes.
 */
public interface MessageSink {
    /**
     * {@return whether a message was taken; false if the peer, or the connection, has no room now}
     * Never blocks. After it returned false, {@link StreamEvents#onWritable} is called once there
     * is room, and at once if there is by now.
     *
     * @param message the message
     * @throws io.verbena.rpc.RpcException if it cannot be sent; the call is then canceled
     */
    boolean tryWrite(Message message);

    /** This side has sent its last message; the peer may still send. Idempotent. */
    void close();
}
