// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.util.Optional;

/**
 * The endpoint of a handshake, as long as it belongs to neither another thread nor the connection.
 */
final class HeldEndpoint {
    private Optional<RdmaEndpoint> endpoint = Optional.empty();

    /** Takes responsibility for an endpoint. */
    void hold(RdmaEndpoint mine) {
        endpoint = Optional.of(mine);
    }

    boolean isPresent() {
        return endpoint.isPresent();
    }

    /** {@return the endpoint, which stays here} */
    RdmaEndpoint get() {
        return endpoint.orElseThrow();
    }

    /** {@return the endpoint, which from now on belongs to the caller} */
    RdmaEndpoint take() {
        RdmaEndpoint mine = get();
        endpoint = Optional.empty();
        return mine;
    }

    /** Ends the endpoint, if there is one. */
    void giveUp(TransportException reason) {
        if (isPresent()) {
            take().abort(reason);
        }
    }
}
