// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;

/**
 * Sees every call of a server before its service, and again when it is over. Interceptors form a
 * chain in the order of {@link ServerOptions#interceptors}: each passes the call to the next, and
 * the last passes it to the service.
 *
 * <p>Threads: {@link #intercept} runs on the service's thread, so it may block unless the service
 * is {@link NonBlocking}; {@link #onEnd} runs on the thread that answers, and must not block.
 */
public interface ServerInterceptor {
    /**
     * A call has arrived. It goes on with {@link CallChain#proceed}, now or later; it ends with
     * {@link CallChain#answer}, or with an exception, as if the service had thrown it.
     *
     * @param call everything about the call except its messages
     * @param request the request
     * @param next the rest of the chain
     * @throws Exception answers the call with an error
     */
    default void intercept(Call call, Message request, CallChain next) throws Exception {
        next.proceed(request);
    }

    /**
     * A call that {@link #intercept} saw is over: answered, or failed as {@link Call#errorCode}
     * says. The last interceptor is told first.
     *
     * @param call the call; its attachments are still there
     */
    default void onEnd(Call call) {}
}
