// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * A call with many requests and one response, on the client.
 *
 * {@snippet :
 * try (ClientStreamCall<Chunk, Receipt> upload = files.upload()) {
 *     for (Chunk chunk : chunks) {
 *         upload.requests().write(chunk);
 *     }
 *     return upload.finish();
 * }
 * }
 *
 * @param <Q> the requests' class
 * @param <R> the response's class
 */
public interface ClientStreamCall<Q, R> extends AutoCloseable {
    /** {@return sends the requests} */
    StreamWriter<Q> requests();

    /** {@return the future response; fails with an {@link RpcException}} */
    CompletableFuture<R> response();

    /**
     * {@return the response} Closes the requests, and waits for it. An interrupt cancels the call.
     *
     * @throws RpcException if the call failed
     */
    R finish();

    /** Cancels the call, unless it is over. Idempotent. Any thread. */
    @Override
    void close();
}
