// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

/** A connection a server has accepted, as {@link ServerLoop} sees it. */
interface ServedConnection extends AutoCloseable {
    /** {@return its progress} */
    Progress progress();

    /** Both sides are connected. */
    void onEstablished();

    /**
     * The connection has ended and everything posted on it has completed.
     *
     * @throws ExampleException if it ended too early
     */
    void onDisconnected();

    /** Releases everything, in reverse order of creation. */
    @Override
    void close();
}
