// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;

/** The path of one call through the interceptors of its server. One thread at a time. */
final class ServerChain implements CallChain {
    private final ServerInterceptor[] interceptors;
    private final IncomingCall call;
    private int entered;

    ServerChain(ServerInterceptor[] interceptors, IncomingCall call) {
        this.interceptors = interceptors;
        this.call = call;
    }

    @Override
    public void proceed(Message request) {
        try {
            if (entered < interceptors.length) {
                interceptors[entered++].intercept(call, request, this);
            } else {
                call.method().handler().handle(call, request);
            }
        } catch (Throwable e) {
            ServiceFaults.answer(call, e);
        }
    }

    @Override
    public void answer(Message response) {
        call.run(response);
    }

    /** The call is over. */
    void end() {
        for (int i = entered - 1; i >= 0; i--) {
            try {
                interceptors[i].onEnd(call);
            } catch (Throwable e) {
                Faults.warn(ServerChain.class, "an interceptor failed at the end", call, e);
            }
        }
    }
}
