// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.TransportException;
import io.verbena.verbs.ConnectionIdentifier;

/**
 * Makes the RDMA halves of connections, on one device. Any thread may call any method.
 *
 * <p>Tests of failing devices put another implementation in front of the real one.
 */
public interface RdmaEndpoints extends AutoCloseable {
    /** {@return the endpoints of a process without a device} It never makes any. */
    static RdmaEndpoints none() {
        return new NoRdma();
    }

    /**
     * {@return whether RDMA can be used at all} False once {@link #disable} was called: new
     * connections then use TCP from their first byte.
     */
    boolean isAvailable();

    /**
     * Permanently disables RDMA for new connections; brpc's {@code GlobalDisableRdma}. Existing
     * connections go on. An implementation calls this itself when its device dies.
     */
    void disable();

    /**
     * {@return an endpoint with a queue pair that is not connected} May take a few system calls.
     *
     * @param side which side of its connection it will be on
     * @throws TransportException with ERDMA or ERDMAMEM if the device or the pool has nothing left
     */
    RdmaEndpoint allocate(Side side);

    /**
     * {@return an endpoint whose queue pair is made by a connection identifier and connected by it}
     * Its receives are posted already. {@link RdmaEndpoint#bringUp} takes over the peer's limits
     * and changes no state of the queue pair. The endpoint closes the identifier when it ends.
     *
     * @param side which side of its connection it will be on
     * @param identifier resolved or requested, without a queue pair; still belongs to the caller if
     *     this throws
     * @throws TransportException with ERDMA or ERDMAMEM if the device or the pool has nothing left
     */
    RdmaEndpoint allocate(Side side, ConnectionIdentifier identifier);

    /** Ends every endpoint, then what they share. */
    @Override
    void close();
}
