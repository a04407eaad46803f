// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.ConnectionIdentifier;

/** The endpoints of a process without a device. */
final class NoRdma implements RdmaEndpoints {
    @Override
    public boolean isAvailable() {
        return false;
    }

    @Override
    public void disable() {}

    @Override
    public RdmaEndpoint allocate(Side side) {
        throw new TransportException(TransportError.ERDMA, "no RDMA device was given");
    }

    @Override
    public RdmaEndpoint allocate(Side side, ConnectionIdentifier identifier) {
        return allocate(side);
    }

    @Override
    public void close() {}
}
