// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.server.ServiceMethod;
import io.verbena.rpc.spi.ServerCall;
import io.verbena.rpc.spi.ServerStreams;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * A call on the server: the service's controller and callback in one. Answered once, by any thread;
 * a second answer is a bug in the service and does no harm.
 */
abstract sealed class IncomingCall extends ServerController implements ServerCall
        permits BaiduCall, ProtocolCall {
    /** The error text of a call without streams to a method that needs them. */
    static final String STREAMS_EXPECTED =
            "a call without streams (expected: with streams, as the method declares)";

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

    /** When the service answered; 0 before. */
    private long answeredNs;

    /** When the answer was on its way; 0 before. */
    private long endNs;

    /**
     * Whether writing the answer took no time worth measuring: a look at the clock takes longer.
     */
    private boolean isAnswerShort;

    /**
     * Kept: a connection shared by several clients may be someone else's by the time it is asked.
     */
    private String identity = "";

    private ServiceMethod method;
    private boolean isCounted;

    /** Its way through the interceptors; null if it has not reached them. */
    private ServerChain chain;

    /** Its streams; null if it has none. */
    private ServerExchange exchange;

    private volatile boolean isCanceled;

    @SuppressWarnings("unused") // accessed through ANSWERED
    private volatile boolean isAnswered;

    /**
     * A call that was received.
     *
     * @param session where from
     * @param startNs when, in terms of {@link System#nanoTime}
     */
    IncomingCall(ServerSession session, long startNs) {
        super(session.pool());
        connection(session.transport());
        this.session = session;
        this.startNs = startNs;
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

    @Override
    public void setRequestCompressCode(int value) {
        received(CompressType.of(value), false, ContentType.PROTOBUF);
    }

    @Override
    public int responseCompressCode() {
        return responseCompressType().code();
    }

    @Override
    public void cancel() {
        canceled();
    }

    /** The server's gate has let it in. */
    void counted() {
        session.admit();
        identity = session.identity();
        isCounted = true;
    }

    /** The method's limiter has let it in. */
    void entered(ServiceMethod target) {
        method = target;
    }

    /** Passes it to the interceptors. */
    void intercept(ServerChain interceptors, Message request) {
        chain = interceptors;
        interceptors.proceed(request);
    }

    /** {@return its streams, which are open from now on} The service is about to run. */
    ServerExchange openStreams() {
        exchange = new ServerExchange(this, streams());
        exchange.open(session.core().streamTimer());
        return exchange;
    }

    /**
     * {@return what arrived, as a call with streams}
     *
     * @throws RpcException if it came without streams
     */
    abstract ServerStreams streams();

    /** Its client has canceled it, or is gone. Any thread. */
    void canceled() {
        isCanceled = true;
        session.forget(this);
    }

    /** {@return bytes of answers that wait before its connection} */
    long waitingBytes() {
        return 0;
    }

    /** {@return the request} */
    abstract Message decode(Message prototype) throws IOException;

    /** The answer is short and was written. The thread that answers. */
    final void answeredShortly() {
        isAnswerShort = answeredNs != 0;
    }

    /** Sends the answer. Once. If it throws, the client has to be told in another way. */
    abstract void answer(Message response);

    /** Answers that the call failed. */
    void fail(RpcError error, String text) {
        setFailed(error.code(), text);
        run(null);
    }

    /**
     * Foreign code has thrown: logs that and, unless the call is answered already, answers that it
     * failed. Never throws. Any thread.
     *
     * @param what what failed, as in "the service failed"
     * @param fault what was thrown
     */
    void onFault(String what, Throwable fault) {
        // one inside the other here and below: without memory, even a report may fail
        try {
            Faults.warn(IncomingCall.class, what, this, fault);
        } finally {
            if (ANSWERED.compareAndSet(this, false, true)) {
                endFailed(what, fault);
            }
        }
    }

    private void endFailed(String what, Throwable fault) {
        try {
            setFailed(Faults.describe(what, fault));
        } finally {
            end(null);
        }
    }

    /** The service answers. Any thread. */
    void run(Message response) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            throw new IllegalStateException(
                    "done: called twice (expected: once for each call of " + method + ")");
        }
        answeredNs = System.nanoTime();
        if (!failed()) {
            check(response);
        }
        end(response);
    }

    /** Never throws: the call counts as answered, and nobody else would answer it. */
    private void check(Message response) {
        if (response == null) {
            setFailed("the service answered without a response");
        } else if (timeoutMs() > 0 && limitNs() - (answeredNs - startNs) < 0) {
            // its client has given up: an error is shorter, and counts as one
            setFailed(RpcError.ERPCTIMEDOUT.code(), late());
        }
    }

    private String late() {
        try {
            return "the service answered after the " + timeoutMs() + " ms that its client waits";
        } catch (OutOfMemoryError e) {
            return "the service answered too late";
        }
    }

    /** Answers, and gives back what the call has taken, whatever happens. */
    private void end(Message response) {
        try {
            if (exchange != null) {
                exchange.finish();
            }
            answer(response);
        } catch (Throwable e) {
            // without an answer the client would wait until its deadline
            session.cut("an answer cannot be made", e);
        } finally {
            finish();
        }
    }

    private void finish() {
        // once, for the interceptors and for the limiter
        endNs = isAnswerShort ? answeredNs : System.nanoTime();
        try {
            if (chain != null) {
                chain.end();
            }
        } finally {
            letGo();
        }
    }

    private void letGo() {
        try {
            close();
        } catch (Throwable e) {
            Faults.warn(IncomingCall.class, "its memory cannot be released", this, e);
        } finally {
            forget();
        }
    }

    private void forget() {
        try {
            session.forget(this);
        } catch (Throwable e) {
            Faults.warn(IncomingCall.class, "the end of a call failed", this, e);
        } finally {
            leave();
        }
    }

    private void leave() {
        try {
            if (method != null) {
                method.status().leave(endNs - startNs, errorCode());
            }
        } catch (Throwable e) {
            Faults.warn(IncomingCall.class, "the limiter failed", this, e);
        } finally {
            if (isCounted) {
                session.leave();
            }
        }
    }

    boolean isOver() {
        return isAnswered;
    }

    /** {@return what it is, for logs: a method and a peer} */
    @Override
    public String toString() {
        return (method == null ? "a call" : method.toString()) + " from " + remoteSide();
    }

    @Override
    public boolean isCanceled() {
        return isCanceled || session.isClosed();
    }

    @Override
    public void onCancel(Runnable action) {
        session.onCancel(this, action);
    }

    @Override
    public String serviceName() {
        return descriptor().getService().getFullName();
    }

    @Override
    public String methodName() {
        return descriptor().getName();
    }

    @Override
    public MethodDescriptor descriptor() {
        return method.descriptor();
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public long elapsedNs() {
        return (endNs == 0 ? System.nanoTime() : endNs) - startNs;
    }

    @Override
    public long remainingMs() {
        return timeoutMs() > 0 ? TimeUnit.NANOSECONDS.toMillis(remainingNs()) : Long.MAX_VALUE;
    }

    /** {@return how long the client still waits; it must have said how long} */
    long remainingNs() {
        return limitNs() - elapsedNs();
    }

    private long limitNs() {
        return TimeUnit.MILLISECONDS.toNanos(timeoutMs());
    }
}
