// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of one call through the interceptors of its channel, and back: it is also what the engine
 * tells the outcome. One thread at a time.
 */
final class ClientChain implements CallChain, Completion.Waking {
    private static final Logger LOG = LoggerFactory.getLogger(ClientChain.class);

    /** What is called after the interceptors: sends the call. */
    @FunctionalInterface
    interface Sender {
        /** Sends the call; {@code done} is run once, as for any call of the engine. */
        void send(Message request, Consumer<Message> done);
    }

    private final ClientInterceptor[] interceptors;
    private final MethodDescriptor method;
    private final ClientController call;
    private final Message responsePrototype;
    private final Sender sender;
    private final Consumer<Message> told;
    private int entered;

    /**
     * A chain that no interceptor has seen.
     *
     * @param told told the outcome; if it runs no user code, whoever waits must call {@link #end}
     */
    ClientChain(
            ClientInterceptor[] interceptors,
            MethodDescriptor method,
            ClientController call,
            Message responsePrototype,
            Sender sender,
            Consumer<Message> told) {
        this.interceptors = interceptors;
        this.method = method;
        this.call = call;
        this.responsePrototype = responsePrototype;
        this.sender = sender;
        this.told = told;
    }

    /** {@return what is called at the end: this, unless whoever waits does the rest} */
    private Consumer<Message> done() {
        return Completion.isQuick(told) ? told : this;
    }

    @Override
    public void wake(Message result) {
        if (told instanceof Completion.Waking waking) {
            waking.wake(result);
        }
    }

    /** Tells the interceptors before the callback; threads that wait are woken first, as always. */
    @Override
    public void accept(Message result) {
        end();
        told.accept(result);
    }

    @Override
    public void proceed(Message request) {
        if (entered == interceptors.length) {
            sender.send(request, done());
            return;
        }
        try {
            interceptors[entered++].intercept(method, request, call, this);
        } catch (RpcException e) {
            fail(e.code(), e.text());
        } catch (Exception e) {
            LOG.warn("an interceptor failed before {}", method.getFullName(), e);
            fail(RpcError.EINTERNAL.code(), "an interceptor failed: " + e);
        }
    }

    private void fail(int code, String text) {
        call.outcome(code, "[E" + code + "]" + text);
        Completion.run(done(), responsePrototype);
    }

    @Override
    public void answer(Message response) {
        call.outcome(0, "");
        Completion.run(done(), response);
    }

    /** The call is over. */
    void end() {
        for (int i = entered - 1; i >= 0; i--) {
            try {
                interceptors[i].onEnd(method, call);
            } catch (RuntimeException e) {
                LOG.warn("an interceptor failed at the end of {}", method.getFullName(), e);
            }
        }
    }
}
