// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import io.verbena.rpc.server.ServiceMethod;
import io.verbena.rpc.spi.ServerCall;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A call on the server: the service's controller and callback in one. Answered once, by any thread;
 * a second answer is a bug in the service and does no harm.
 */
abstract sealed class IncomingCall extends ServerController
        implements RpcCallback<Message>, ServerCall permits BaiduCall, ProtocolCall {
    private static final VarHandle ANSWERED;

    static {
        try {
            ANSWERED =
                    MethodHandles.lookup()
                            .findVarHandle(IncomingCall.class, "isAnswered", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ServerSession session;
    private final long startNs;
    private ServiceMethod method;
    private boolean isCounted;

    @SuppressWarnings("unused") // accessed through ANSWERED
    private volatile boolean isAnswered;

    IncomingCall(ServerSession session) {
        super(session.pool());
        connection(session.transport());
        this.session = session;
        this.startNs = System.nanoTime();
    }

    ServerSession session() {
        return session;
    }

    ServiceMethod method() {
        return method;
    }

    @Override
    public void setLogId(long value) {
        logId(value);
    }

    @Override
    public void setRequestId(String value) {
        requestId(value);
    }

    @Override
    public void setTimeoutMs(int value) {
        timeoutMs(value);
    }

    /** The server's gate has let it in. */
    void counted() {
        isCounted = true;
    }

    /** The method's limiter has let it in. */
    void entered(ServiceMethod target) {
        method = target;
    }

    /** {@return the request} */
    abstract Message decode(Message prototype) throws IOException;

    /** Sends the answer. Once. */
    abstract void answer(Message response);

    /** Answers that the call failed. */
    void fail(RpcError error, String text) {
        setFailed(error.code(), text);
        run(null);
    }

    /** The service answers. Any thread. */
    @Override
    public void run(Message response) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            throw new IllegalStateException(
                    "done: called twice (expected: once for each call of " + method + ")");
        }
        if (response == null && !failed()) {
            setFailed("the service answered without a response");
        }
        try {
            answer(response);
        } finally {
            finish();
        }
    }

    private void finish() {
        close();
        session.forget(this);
        if (method != null) {
            method.status().leave(System.nanoTime() - startNs, errorCode());
        }
        if (isCounted) {
            session.leave();
        }
    }

    boolean isOver() {
        return isAnswered;
    }

    @Override
    public boolean isCanceled() {
        return session.isClosed();
    }

    @Override
    public void notifyOnCancel(RpcCallback<Object> callback) {
        session.notifyOnCancel(this, callback);
    }
}
