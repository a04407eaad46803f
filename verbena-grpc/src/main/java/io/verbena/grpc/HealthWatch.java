// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.grpc.builtin.HealthCheckResponse.ServingStatus;
import io.verbena.rpc.spi.ServerView;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The health of a server, and who is told when it changes. Any thread. */
final class HealthWatch {
    private final ServerView server;
    private final Set<GrpcHealthCall> watchers = ConcurrentHashMap.newKeySet();
    private volatile boolean isStopping;

    HealthWatch(ServerView server) {
        this.server = server;
    }

    /** {@return the status of a service, or of the server if the name is empty} */
    ServingStatus status(String service) {
        boolean isKnown =
                service.isEmpty()
                        || server.services().stream()
                                .anyMatch(each -> each.getFullName().equals(service));
        if (!isKnown) {
            return ServingStatus.SERVICE_UNKNOWN;
        }
        return isStopping ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
    }

    void add(GrpcHealthCall watcher) {
        watchers.add(watcher);
    }

    void remove(GrpcHealthCall watcher) {
        watchers.remove(watcher);
    }

    /** The server stops. */
    void onStop() {
        isStopping = true;
        watchers.forEach(GrpcHealthCall::tell);
    }
}
