// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Poller;
import io.verbena.memory.IOBuf;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.TransportException;
import java.util.Optional;

/**
 * The RDMA half of a connection: a queue pair with its windows and rings, served by one dispatcher.
 *
 * <p>Life: {@link #hello} tells the peer about it, {@link #bringUp} connects it, {@link #open} lets
 * bytes flow, {@link #close} ends it. What arrives between bringing up and opening is held.
 */
public interface RdmaEndpoint {
    /** The callbacks of an endpoint to its connection, made inside its poller's turn. */
    interface Sink {
        /** The endpoint is open. The first call. */
        void onOpen();

        /**
         * Bytes have arrived.
         *
         * @param received everything that was not yet cut out; belongs to the endpoint
         */
        void onData(IOBuf received);

        /**
         * The endpoint is about to end and give up its queue pair; what was written before a close
         * is in the peer's memory. The peer should learn of this over TCP before its requests fail.
         */
        default void onEnding() {}

        /**
         * Runs a task, on any thread, once everything that TCP has received by now was handled.
         *
         * @param task must not block
         */
        default void afterTcp(Runnable task) {
            task.run();
        }

        /**
         * The endpoint has ended. Its memory is back in the pool, its queue pair is gone.
         *
         * @param reason why
         */
        void onClose(TransportException reason);
    }

    /** {@return what to tell the peer} */
    Hello hello();

    /**
     * Sets the peer's limits, posts the receives and connects the queue pair to the peer's. Takes a
     * few system calls on a native device.
     *
     * @param peer the peer's hello
     * @throws TransportException if the device refuses, for example because it cannot reach the
     *     peer; then the endpoint can only be closed
     */
    void bringUp(Hello peer);

    /**
     * Lets bytes flow: both sides have agreed.
     *
     * @param sink called inside the poller's turn
     */
    void open(Sink sink);

    /**
     * Writes bytes: as much as the windows allow in the calling thread, the rest when they open.
     * What is written after {@link #bringUp} and before {@link #open} waits for the latter.
     *
     * @param data moved out of the buffer if the call returns
     * @throws TransportException with EOVERCROWDED, ERDMAMEM, or the reason why the endpoint ended
     */
    void write(IOBuf data);

    /**
     * Writes bytes that may wait for the next pass of the {@link #poller}, and so travel with
     * others. For a thread that is about to wait there, and for tasks placed there.
     *
     * @param data moved out of the buffer if the call returns
     * @throws TransportException as for {@link #write}
     */
    default void writeSoon(IOBuf data) {
        write(data);
    }

    /**
     * Writes bytes like {@link #write}, but also while too many are waiting, if not far too many.
     *
     * @param data as for {@link #write}
     * @throws TransportException as for {@link #write}
     */
    default void writeBeyondLimit(IOBuf data) {
        write(data);
    }

    /** {@return what delivers its completions, if a waiting thread can help it} */
    default Optional<Poller> poller() {
        return Optional.empty();
    }

    /** {@return how many bytes are waiting for a window} */
    long unwrittenBytes();

    /** {@return windows, credits and counts now} */
    ConnectionStatistics statistics();

    /**
     * The peer's end of TCP has closed: delivers what has arrived, then ends the endpoint.
     *
     * @param reason passed to the sink
     */
    void peerClosed(TransportException reason);

    /**
     * Ends the endpoint after what was written has reached the peer's memory, or a time limit.
     *
     * @param reason passed to the sink
     */
    void close(TransportException reason);

    /**
     * Ends the endpoint now, even if it was never opened (then there is no sink to notify).
     *
     * @param reason passed to the sink
     */
    void abort(TransportException reason);
}
