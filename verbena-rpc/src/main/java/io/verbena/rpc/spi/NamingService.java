// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.List;

/**
 * A registry: knows which servers a name stands for, and when that changes. One object serves all
 * channels, from any thread.
 */
public interface NamingService {
    /** {@return what its addresses begin with, such as {@code list} for {@code list://}} */
    String scheme();

    /**
     * Reports to a listener which servers a name stands for: once before it returns, if that is
     * known by then, and after every change.
     *
     * @param name what follows {@code scheme://}
     * @param listener receives the whole list each time. A registry that fails after its first
     *     answer reports nothing: the old list stays
     * @return the registration, which ends when closed
     * @throws IllegalArgumentException if the name is not valid for this registry
     */
    Watch watch(String name, Listener listener);

    /** Receives the list of servers. Must not block. */
    @FunctionalInterface
    interface Listener {
        /**
         * These are the servers now.
         *
         * @param servers the servers, without duplicates; may be empty
         */
        void onServers(List<ServerNode> servers);
    }

    /** The registration of a listener. */
    @FunctionalInterface
    interface Watch extends AutoCloseable {
        /** Ends it; if an update is under way, the listener may be called once more. */
        @Override
        void close();
    }
}
