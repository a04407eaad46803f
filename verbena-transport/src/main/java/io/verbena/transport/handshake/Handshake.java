// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One side of one way to agree on RDMA or TCP. Called by the event loop, except for the states,
 * which any thread may read. Tells its {@link Host} what to do.
 */
public interface Handshake {
    /** {@return how far it has come} */
    HandshakeState state();

    /** {@return what it has decided} */
    RdmaState rdmaState();

    /** {@return 2 or 3, 1 for the connection manager's, 0 if no hello was sent or received} */
    int version();

    /** {@return why the peer's hello was no offer, if it was none} */
    default Optional<String> objection() {
        return Optional.empty();
    }

    /** TCP is connected. */
    void begin();

    /**
     * Bytes have arrived.
     *
     * @param in all that have arrived and were not taken; leave what is not part of the handshake
     */
    void receive(ByteBuffer in);

    /**
     * It is over without an agreement: gives back what it holds.
     *
     * @param reason why
     */
    void fail(TransportException reason);

    /**
     * What a handshake needs from its connection. All calls come from, and go to, the event loop.
     */
    interface Host {
        /**
         * Writes bytes to TCP.
         *
         * @param bytes what
         * @param then run once they are with the kernel
         */
        void send(byte[] bytes, Runnable then);

        /**
         * Runs work that may take long on another thread. Nothing is read from TCP meanwhile.
         *
         * @param <T> the type of the result
         * @param work makes or changes things of the device
         * @param then given the result, or why there is none; called in any case, even if the
         *     connection has ended meanwhile
         */
        <T> void offload(Work<T> work, Outcome<T> then);

        /**
         * Runs something on the event loop, soon. Any thread.
         *
         * @param task run in any case, even if the connection has ended meanwhile
         */
        void execute(Runnable task);

        /** {@return whether the connection has ended} */
        boolean isOver();

        /** Bytes travel over TCP from now on. */
        void openTcp();

        /**
         * Bytes travel over RDMA from now on.
         *
         * @param endpoint connected; belongs to the host now
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
         * @throws InterruptedException if the thread was told to end
         */
        T run() throws InterruptedException;
    }

    /**
     * What became of {@link Work}.
     *
     * @param <T> the type of the result
     */
    interface Outcome<T> {
        /**
         * It was done.
         *
         * @param result what came of it
         */
        void done(T result);

        /**
         * It failed.
         *
         * @param reason why
         */
        void failed(TransportException reason);
    }
}
