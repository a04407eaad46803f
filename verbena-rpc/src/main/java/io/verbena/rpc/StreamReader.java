// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Iterator;

/**
 * The messages that the other side of a call sends, in order. Read them in a loop, which waits for
 * each and suits virtual threads:
 *
 * {@snippet :
 * for (Reading reading : sensors.watch(room)) {
 *     show(reading);
 * }
 * }
 *
 * or have them passed to a {@link StreamListener}; not both.
 *
 * <p>Flow control: a message that is not read occupies room that the other side has to wait for. A
 * reader that stops stops its own writer, and no other stream of the connection.
 *
 * <p>Threads: one at a time reads; {@link #close}, {@link #pause} and {@link #resume} may be called
 * by any.
 *
 * @param <M> the messages' class
 */
public interface StreamReader<M> extends Iterable<M>, AutoCloseable {
    /**
     * {@return whether there is another message} Waits until there is, or the stream has ended. An
     * interrupt cancels the call.
     *
     * @throws RpcException if the call failed; what arrived before that has been read
     */
    boolean hasNext();

    /**
     * {@return the next message} Waits for it as {@link #hasNext} does.
     *
     * @throws java.util.NoSuchElementException if the stream has ended
     * @throws RpcException if the call failed
     */
    M next();

    /** {@return what {@link #hasNext} and {@link #next} say; not a second look at the stream} */
    @Override
    default Iterator<M> iterator() {
        StreamReader<M> reader = this;
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return reader.hasNext();
            }

            @Override
            public M next() {
                return reader.next();
            }
        };
    }

    /**
     * Passes all messages to a listener from now on, and returns.
     *
     * @param listener called by one thread at a time
     * @throws IllegalStateException if there is a listener already
     */
    void listen(StreamListener<? super M> listener);

    /** Passes no further message to the listener until {@link #resume}. */
    void pause();

    /** Ends a {@link #pause}. */
    void resume();

    /**
     * Reads no more: messages that were not read are dropped. On a client this cancels the call,
     * unless it is over; a service may go on without the rest of its requests. Idempotent.
     */
    @Override
    void close();
}
