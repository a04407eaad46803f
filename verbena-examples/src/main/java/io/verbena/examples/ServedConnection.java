// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

/** A connection a server has accepted, as {@link ServerLoop} sees it. */
interface ServedConnection extends AutoCloseable {
    /** {@return how it fares} */
    Progress progress();

    /** Both sides are connected. */
    void onEstablished();

    /**
     * The connection has ended and everything posted on it has completed.
     *
     * @throws ExampleException if it ended before its time
     */
    void onDisconnected();

    /** Releases everything in the reverse order of its making. */
    @Override
    void close();
}
