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
     * Tells a listener which servers a name stands for: once before it returns, if that is known by
     * then, and at every change.
     *
     * @param name what follows {@code scheme://}
     * @param listener told the whole list each time. A registry that fails after its first answer
     *     tells nothing: the old list stays
     * @return ends it
     * @throws IllegalArgumentException if the name is not one of this registry
     */
    Watch watch(String name, Listener listener);

    /** Told which servers there are. Must not block. */
    @FunctionalInterface
    interface Listener {
        /**
         * These are the servers now.
         *
         * @param servers without duplicates; none if there are none
         */
        void onServers(List<ServerNode> servers);
    }

    /** The registration of a listener. */
    @FunctionalInterface
    interface Watch extends AutoCloseable {
        /** Ends it; the listener may be told once more if that is under way. */
        @Override
        void close();
    }
}
