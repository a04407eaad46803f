// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.List;

/**
 * Chooses a server for each try of the calls of one channel. It makes a {@link Picker} for each
 * list of servers and keeps what outlives a list, such as the latencies of servers that are still
 * there.
 *
 * <p>Failure: what it throws is logged. If it has no picker for a new list, the list before stays
 * in use; if a picker throws, that try fails with EINTERNAL, or with EINVAL for an {@link
 * IllegalArgumentException}, and is not retried.
 */
@FunctionalInterface
public interface LoadBalancer {
    /** No server can be chosen. */
    int NONE = -1;

    /**
     * {@return a picker for these servers} Called for the first list and for every one that differs
     * from the one before, by one thread at a time. It may compute for a while: calls use the
     * picker before until it returns.
     *
     * @param servers all servers, without duplicates, never changed; may be empty
     */
    Picker picker(List<ServerNode> servers);

    /**
     * Chooses among one list of servers. Any thread, many at a time; it neither blocks nor
     * allocates: it is part of every call.
     */
    @FunctionalInterface
    interface Picker {
        /**
         * {@return the place of a server in the list that this picker was made for, or {@link
         * LoadBalancer#NONE}}
         *
         * @param call the call; valid during this call of the method
         */
        int select(CallContext call);

        /**
         * A try is over. Called exactly once for every place that {@link #select} has returned,
         * also if the request could not be sent, and on the picker that chose it, even if the list
         * has changed since.
         *
         * @param server the place of the server in the list
         * @param latencyNs how long this try took, including connecting
         * @param errorCode how it ended: 0 if the server answered with a response, or else brpc's
         *     code, from the server or from this side. EBACKUPREQUEST (1007) if another try of the
         *     call was answered first, ECANCELED (125) if the caller gave up: neither says anything
         *     about the server
         */
        default void onFeedback(int server, long latencyNs, int errorCode) {}
    }
}
