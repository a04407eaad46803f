// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The path of one call through the interceptors of its channel, and back: it is also what the
 * engine tells the outcome. One thread at a time.
 */
final class ClientChain implements CallChain, CallNotifier.Waking, CallNotifier.Step {
    /** What is called after the interceptors: sends the call. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends the call; {@code done} is run once, as for any call of the engine. Throws only if
         * the call has not begun: then {@code done} is not run.
         */
        void send(Message request, Consumer<Message> done);
    }

    private final ClientInterceptor[] interceptors;
    private final MethodDescriptor method;
    private final ClientController call;
    private final Message responsePrototype;
    private final Sender sender;
    private final Consumer<Message> told;
    private int entered;

    /** Whether it was passed on, answered or has failed: any of them once. */
    private final AtomicBoolean isSettled = new AtomicBoolean();

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
        return CallNotifier.isQuick(told) ? told : this;
    }

    @Override
    public boolean isAwaited() {
        return told instanceof CallNotifier.Step step && step.isAwaited();
    }

    @Override
    public void wake(Message result) {
        if (told instanceof CallNotifier.Waking waking) {
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
            if (isSettled.compareAndSet(false, true)) {
                send(request);
            }
            return;
        }
        try {
            interceptors[entered++].intercept(method, request, call, this);
        } catch (RpcException e) {
            fail(TryFailure.of(e.code(), e.text()));
        } catch (Throwable e) {
            Faults.warn(ClientChain.class, "an interceptor failed", method.getFullName(), e);
            fail(TryFailure.of(RpcError.EINTERNAL, "an interceptor failed", e));
        }
    }

    /** Never throws: interceptors are not to blame, and nobody else would end the call. */
    private void send(Message request) {
        try {
            sender.send(request, done());
        } catch (Throwable e) {
            end(TryFailure.of(RpcError.EINTERNAL, "the call cannot begin", e));
        }
    }

    /** Ends the call, unless it was passed on before: then it has an end of its own. */
    private void fail(TryFailure failure) {
        if (isSettled.compareAndSet(false, true)) {
            end(failure);
        }
    }

    private void end(TryFailure failure) {
        call.outcome(failure.code(), failure.text());
        CallNotifier.run(done(), responsePrototype);
    }

    @Override
    public void answer(Message response) {
        if (isSettled.compareAndSet(false, true)) {
            call.outcome(0, "");
            CallNotifier.run(done(), response);
        }
    }

    /** The call is over. */
    void end() {
        for (int i = entered - 1; i >= 0; i--) {
            try {
                interceptors[i].onEnd(method, call);
            } catch (Throwable e) {
                Faults.warn(
                        ClientChain.class,
                        "an interceptor failed at the end",
                        method.getFullName(),
                        e);
            }
        }
    }
}
