// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.List;

/**
 * A registry, or rather its client: knows which servers a name stands for, learns when that
 * changes, and announces servers. One object serves all channels and servers of a node, from any
 * thread; a registry that needs a connection opens it for the first watch or registration, and
 * closes it with the last.
 *
 * <p>Names are what follows {@code scheme://} in the address of a channel; their form is up to the
 * registry. An implementation is found by {@link java.util.ServiceLoader} and needs a public
 * constructor without parameters.
 *
 * <h2>When the registry fails</h2>
 *
 * <p>A registry that cannot be reached is not an error of its user: neither {@link #watch} nor
 * {@link #register} throws because of it, at the start or later. The implementation tries again by
 * itself until it is closed, with pauses between {@code 0.1} and {@code 10} seconds, and says each
 * time why it failed ({@link Listener#onFailure}). It does not log that: the channel does, once for
 * a series of failures, and keeps the last good list meanwhile.
 */
public interface NamingService {
    /** {@return what its addresses begin with, such as {@code list} for {@code list://}} */
    String scheme();

    /**
     * Reports to a listener which servers a name stands for: first what is known now, then each
     * change.
     *
     * <p>May block, but no longer than a few seconds, to report the first list before it returns: a
     * channel that opens can then call at once. If there is no list by then it returns anyway and
     * reports the list when it comes.
     *
     * @param name what follows {@code scheme://}
     * @param listener told by one thread at a time, in the order in which the registry changed
     * @return the watch, which ends when closed
     * @throws IllegalArgumentException if the name is not valid for this registry
     */
    Watch watch(String name, Listener listener);

    /**
     * Announces a server under a name, until the registration is closed.
     *
     * <p>May block, but no longer than a few seconds, until the registry lists the server. If it
     * does not by then, the implementation goes on trying. It also announces the server again
     * whenever the registry has forgotten it: after the loss of a session, an expired lease, a
     * restart of the registry.
     *
     * @param name what follows {@code scheme://}
     * @param server the address that clients connect to, tag and weight
     * @return the registration; the server's process closes it before it stops. If the process dies
     *     instead, the registry drops the server by itself where it can (session, lease, health
     *     check)
     * @throws IllegalArgumentException if the name is not valid for this registry
     * @throws UnsupportedOperationException if servers cannot be announced there, which is the
     *     default
     */
    default Registration register(String name, ServerNode server) {
        throw new UnsupportedOperationException(
                scheme() + "://: a list to read (expected: a registry that servers can join)");
    }

    /** Receives the list of servers. Its methods return soon and never throw. */
    @FunctionalInterface
    interface Listener {
        /**
         * These are the servers now. Report every list that the registry confirms, even one equal
         * to the last: it ends a series of failures.
         *
         * <p>Report an empty list only if the registry said that there is no server. The channel
         * then keeps the last list that was not empty, as it does for a failure: calls to servers
         * that are really gone fail anyway, and a registry that lost its memory does no harm.
         *
         * @param servers the servers, in any order; duplicates are dropped
         */
        void onServers(List<ServerNode> servers);

        /**
         * The registry cannot be asked now; the last list stays in use. Report every failure: the
         * listener tells the first of a series from the others.
         *
         * @param cause what went wrong
         */
        default void onFailure(Throwable cause) {}
    }

    /** A listener's watch. */
    @FunctionalInterface
    interface Watch extends AutoCloseable {
        /**
         * Ends it. Does not wait: if an update is under way, the listener may be called once more.
         * Idempotent; never throws.
         */
        @Override
        void close();
    }

    /** The announcement of a server. Any thread. */
    interface Registration extends AutoCloseable {
        /** {@return whether the registry lists the server now, as far as this side knows} */
        boolean isListed();

        /**
         * Takes the server out of the registry. Waits until the registry has confirmed it, at most
         * a few seconds; then the registry forgets the server when its session or lease ends.
         * Idempotent; never throws.
         */
        @Override
        void close();
    }
}
