// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * A protocol that a channel speaks: it keeps the connections, and sends calls of every form,
 * including those with one request and one response. Any thread may call any method.
 */
public interface ClientProtocol extends AutoCloseable {
    /**
     * Starts one try of a call. Never blocks and never throws: what goes wrong is reported as the
     * call's outcome.
     *
     * @param request what to call, and where
     * @param events told of everything, maybe before this returns
     * @return the call
     */
    ClientStream start(ClientRequest request, StreamEvents events);

    /**
     * Connects to a server ahead of the first call, unless a connection is there that the next call
     * would take. Never blocks and never throws.
     *
     * @param server the address of the server
     * @return completes when the connection is open; fails with an {@link
     *     io.verbena.rpc.RpcException} if the server cannot be reached
     */
    default CompletableFuture<Void> connect(InetSocketAddress server) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("the protocol connects with the first call"));
    }

    /**
     * The channel does not list a server any more, and has not for a while: connections to it close
     * when what is under way on them is over. A try that had chosen it before may still come, and
     * so may the server; whoever connects asks {@link ClientView#isListed}. Never throws.
     *
     * @param server the address of the server
     */
    default void onUnlisted(InetSocketAddress server) {}

    /** The channel is closed: closes the connections; calls under way end with ECLOSE. */
    @Override
    void close();
}
