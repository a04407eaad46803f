// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

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

    /** The channel is closed: closes the connections; calls under way end with ECLOSE. */
    @Override
    void close();
}
