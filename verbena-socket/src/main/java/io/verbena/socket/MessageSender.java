// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A sending end of a message queue. {@code send} works as it does for {@link RdmaSocket}.
 *
 * <p>Ownership: close it. Threads: any; while a thread sends a group, it must make sure that no
 * other thread sends in between.
 */
public final class MessageSender implements Closeable {
    private final RdmaSocket socket;

    private MessageSender(RdmaSocket socket) {
        this.socket = socket;
    }

    /**
     * {@return a sender}
     *
     * @param stack what it uses
     * @param receiver the address of the receiver
     * @param nodeId how it identifies itself; sent with every message
     * @throws IOException if there is no connection
     */
    public static MessageSender connect(SocketStack stack, InetSocketAddress receiver, int nodeId)
            throws IOException {
        return new MessageSender(RdmaSocket.connect(stack, receiver, nodeId));
    }

    /** {@return its node id} */
    public int nodeId() {
        return socket.nodeId();
    }

    /** {@return whether small messages travel inside a SEND} */
    public boolean isNative() {
        return socket.isNative();
    }

    /**
     * Sends a message, or the last frame of a group, waiting for room if necessary.
     *
     * @param source its remaining bytes are the message
     * @throws IOException if the connection does not accept it
     */
    public void send(ByteBuffer source) throws IOException {
        socket.send(source);
    }

    /**
     * Sends a message, or the last frame of a group, waiting for room for a limited time.
     *
     * @param source its remaining bytes are the message
     * @param timeout how long to wait
     * @throws java.net.SocketTimeoutException if there was no room in time; nothing was sent
     * @throws IOException if the connection does not accept it
     */
    public void send(ByteBuffer source, Duration timeout) throws IOException {
        socket.send(source, timeout);
    }

    /**
     * Sends a frame of a group that continues, waiting for room if necessary.
     *
     * @param source its remaining bytes are the frame
     * @throws IOException if the connection does not accept it
     */
    public void sendMore(ByteBuffer source) throws IOException {
        socket.sendMore(source);
    }

    /**
     * {@return memory for a message that is sent without a copy}
     *
     * @param length how many bytes, at least 1
     * @throws IOException if the connection has ended
     */
    public OutgoingMessage prepare(int length) throws IOException {
        return socket.prepare(length);
    }

    /** {@return the connection below} */
    RdmaSocket socket() {
        return socket;
    }

    /**
     * Waits until the receiving side has everything, then ends the connection.
     *
     * @throws IOException if it may not have everything; the sender is closed anyway
     */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
