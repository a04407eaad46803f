// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of one call through the interceptors of its server. One thread at a time. */
final class ServerChain implements CallChain {
    private static final Logger LOG = LoggerFactory.getLogger(ServerChain.class);

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
            } catch (RuntimeException e) {
                LOG.warn("an interceptor failed at the end of {}", call.method(), e);
            }
        }
    }
}
