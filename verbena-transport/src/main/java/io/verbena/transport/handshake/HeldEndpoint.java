// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.util.Objects;

/**
 * The endpoint of a handshake, as long as it belongs to neither another thread nor the connection.
 */
final class HeldEndpoint {
    /** Null if there is none: holding it takes no memory. */
    private RdmaEndpoint endpoint;

    /** Takes responsibility for an endpoint. */
    void hold(RdmaEndpoint mine) {
        endpoint = mine;
    }

    boolean isPresent() {
        return endpoint != null;
    }

    /** {@return the endpoint, which stays here} */
    RdmaEndpoint get() {
        return Objects.requireNonNull(endpoint, "endpoint");
    }

    /** {@return the endpoint, which from now on belongs to the caller} */
    RdmaEndpoint take() {
        RdmaEndpoint mine = get();
        endpoint = null;
        return mine;
    }

    /** Ends the endpoint, if there is one. */
    void giveUp(TransportException reason) {
        if (isPresent()) {
            take().abort(reason);
        }
    }
}
