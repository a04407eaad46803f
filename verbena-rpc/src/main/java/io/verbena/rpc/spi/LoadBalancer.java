// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.List;

/** Chooses a server for each try of the calls of one channel. Any thread; never blocks. */
public interface LoadBalancer {
    /** No server can be chosen. */
    int NONE = -1;

    /**
     * {@return the index of a server that is available, or {@link #NONE}}
     *
     * @param candidates the servers; valid during this call
     */
    int select(Candidates candidates);

    /**
     * The servers have changed. Calls of {@link #select} may overlap with it.
     *
     * @param servers all of them
     */
    default void onServers(List<ServerNode> servers) {}

    /**
     * A call is over.
     *
     * @param server where its last try went
     * @param latencyNs how long it took
     * @param errorCode how it ended; 0 means success
     */
    default void onFeedback(ServerNode server, long latencyNs, int errorCode) {}

    /** The servers of a channel, as one try of a call sees them. */
    interface Candidates {
        /** {@return how many there are} */
        int size();

        /**
         * {@return a server}
         *
         * @param index from 0 to {@link #size} exclusive
         */
        ServerNode server(int index);

        /**
         * {@return whether a server is reachable and was not tried by this call}
         *
         * @param index from 0 to {@link #size} exclusive
         */
        boolean isAvailable(int index);
    }
}
