// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;

/**
 * Sees every call of a channel before it is sent, and again when it is over. Interceptors form a
 * chain in the order of {@link ChannelOptions#interceptors}: each passes the call to the next, and
 * the last sends it.
 *
 * <p>Threads: {@link #intercept} runs on the caller's thread; {@link #onEnd} runs on the caller's
 * thread if that waits, else on the thread that runs the callback.
 */
public interface ClientInterceptor {
    /**
     * A call begins. It goes on with {@link CallChain#proceed}, now or later; it ends with {@link
     * CallChain#answer}, or with an exception.
     *
     * @param method the method
     * @param request the request
     * @param call the settings of the call, which may be changed
     * @param next the rest of the chain
     * @throws RpcException ends the call with this code and text
     * @throws Exception anything else ends it with EINTERNAL
     */
    default void intercept(
            MethodDescriptor method, Message request, ClientCall call, CallChain next)
            throws Exception {
        next.proceed(request);
    }

    /**
     * A call that {@link #intercept} saw is over: answered, or failed as {@link
     * ClientCall#errorCode} says. The last interceptor is told first.
     *
     * @param method the method
     * @param call the call, with all that came with the answer
     */
    default void onEnd(MethodDescriptor method, ClientCall call) {}
}
