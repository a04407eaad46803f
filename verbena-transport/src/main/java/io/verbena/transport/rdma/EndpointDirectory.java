// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The endpoints of a domain, by the numbers of their queue pairs. Any thread. */
final class EndpointDirectory {
    private final ConcurrentHashMap<Integer, QueuePairEndpoint> endpoints =
            new ConcurrentHashMap<>();

    void add(QueuePairEndpoint endpoint) {
        endpoints.put(endpoint.number(), endpoint);
    }

    void remove(QueuePairEndpoint endpoint) {
        endpoints.remove(endpoint.number(), endpoint);
    }

    Optional<QueuePairEndpoint> find(int number) {
        return Optional.ofNullable(endpoints.get(number));
    }

    int size() {
        return endpoints.size();
    }

    /** {@return those that are there now} */
    Collection<QueuePairEndpoint> all() {
        return List.copyOf(endpoints.values());
    }
}
