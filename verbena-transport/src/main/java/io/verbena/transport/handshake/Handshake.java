// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One side of a protocol that decides between RDMA and TCP. Called by the event loop, except for
 * the states, which any thread may read. Tells its {@link Host} what to do.
 */
public interface Handshake {
    /** {@return how far it has come} */
    HandshakeState state();

    /** {@return what it has decided} */
    RdmaState rdmaState();

    /** {@return 2 or 3, 1 for the connection manager's, 0 if no hello was sent or received} */
    int version();

    /** {@return why the peer's hello was not an offer, if it was not} */
    default Optional<String> objection() {
        return Optional.empty();
    }

    /** TCP is connected. */
    void begin();

    /**
     * Bytes have arrived.
     *
     * @param in all bytes that have arrived and were not taken; leave what is not part of the
     *     handshake
     */
    void receive(ByteBuffer in);

    /**
     * The handshake is over without an agreement: gives back what it holds.
     *
     * @param reason why
     */
    void fail(TransportException reason);

    /**
     * What a handshake needs from its connection. All calls, in both directions, are made on the
     * event loop.
     */
    interface Host {
        /**
         * Writes bytes to TCP.
         *
         * @param bytes what
         * @param then run once the kernel has them
         */
        void send(byte[] bytes, Runnable then);

        /**
         * Runs work that may take long on another thread. Nothing is read from TCP meanwhile.
         *
         * @param <T> the type of the result
         * @param work makes or changes objects of the device
         * @param then gets the result, or why there is none; always called, even if the connection
         *     has ended meanwhile
         */
        <T> void offload(Work<T> work, Outcome<T> then);

        /**
         * Runs something on the event loop, soon. Any thread.
         *
         * @param task always run, even if the connection has ended meanwhile
         */
        void execute(Runnable task);

        /** {@return whether the connection has ended} */
        boolean isOver();

        /**
         * {@return whether a server's side may make a queue pair} Peers that have not proved
         * anything can have only so many. {@link #openTcp} gives it back.
         */
        boolean tryTakeQueuePair();

        /**
         * One of the two sides asked for RDMA, and it cannot be: bytes will travel over TCP. Nobody
         * should find that out from the speed.
         *
         * @param reason why
         */
        void warnOfTcp(String reason);

        /** Bytes travel over TCP from now on. */
        void openTcp();

        /**
         * Bytes travel over RDMA from now on.
         *
         * @param endpoint connected; now belongs to the host
         */
        void openRdma(RdmaEndpoint endpoint);

        /**
         * The connection cannot be used.
         *
         * @param reason why
         */
        void abort(TransportException reason);
    }

    /**
     * Work for another thread.
     *
     * @param <T> the type of the result
     */
    interface Work<T> {
        /**
         * {@return the result}
         *
         * @throws InterruptedException if the thread was asked to end
         */
        T run() throws InterruptedException;
    }

    /**
     * The outcome of {@link Work}.
     *
     * @param <T> the type of the result
     */
    interface Outcome<T> {
        /**
         * The work was done.
         *
         * @param result its result
         */
        void done(T result);

        /**
         * The work failed.
         *
         * @param reason why
         */
        void failed(TransportException reason);
    }
}
