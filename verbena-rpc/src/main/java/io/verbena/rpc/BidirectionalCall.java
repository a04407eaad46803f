// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * A call with many requests and many responses, on the client. One thread may write while another
 * reads.
 *
 * {@snippet :
 * try (BidirectionalCall<Line, Line> chat = talks.chat()) {
 *     chat.requests().write(line);
 *     Line reply = chat.responses().next();
 *     chat.requests().close();
 * }
 * }
 *
 * @param <Q> the requests' class
 * @param <R> the responses' class
 */
public interface BidirectionalCall<Q, R> extends AutoCloseable {
    /** {@return sends the requests} */
    StreamWriter<Q> requests();

    /** {@return the responses as they arrive} */
    StreamReader<R> responses();

    /** Cancels the call, unless it is over. Idempotent. Any thread. */
    @Override
    void close();
}
