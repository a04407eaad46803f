// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;

/** A client's connection, as protocols see it. Any thread may call any method. */
public interface ServerConnection {
    /** {@return the transport's connection: addresses, statistics, close} */
    Connection transport();

    /** {@return the server} */
    ServerView server();

    /** {@return whether services can be called on its port} */
    boolean hasCalls();

    /** {@return whether pages can be seen on its port} */
    boolean hasPages();

    /**
     * Asks the server's authenticator about a client. This runs user code, which must not block.
     *
     * @param credential what the client sent; empty if nothing
     * @return an empty string if the client is accepted or the server has no authenticator,
     *     otherwise the reason
     */
    String authenticate(byte[] credential);

    /**
     * {@return whether a client may see pages or change what they show} May run the server's
     * authenticator, which must not block.
     *
     * @param right what the client wants
     * @param credential what it sent with its request; empty if nothing
     */
    PageVerdict authorize(PageRight right, byte[] credential);

    /**
     * Answers a client that {@link #authenticate} or {@link #authorize} has just refused. If there
     * were many such clients at its address, the answer waits, so that guessing is slow.
     *
     * @param answer sends the answer; called once, by any thread
     */
    void answerRefused(Runnable answer);

    /**
     * Accepts a call: makes all checks in brpc's order, decodes the request, runs the service (on a
     * virtual thread unless the method is non-blocking), and answers once.
     *
     * @param request the call
     */
    void accept(ServerRequest request);

    /**
     * Writes a message, or collects it with others if the connection's own thread writes.
     *
     * @param message is emptied
     * @throws io.verbena.transport.TransportException if it cannot be written
     */
    void write(IOBuf message);

    /** Closes the connection once everything written or collected has been sent. */
    void closeAfterWrites();
}
