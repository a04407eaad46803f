// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.TransportException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What other threads want of an endpoint, and what it wants of itself for later: one bit each, done
 * inside the poller's turn. Asking takes no memory and never throws, so no end gets lost when there
 * is none: the bits stay until the poller sees them. Any thread may ask.
 */
final class EndpointCalls {
    /** What does it. Inside the turn. */
    interface Target {
        /** It has begun: it does not wait for ever to be opened. */
        void begin();

        /** Both sides have agreed. */
        void open(RdmaEndpoint.Sink sink);

        /** The thread that was posting leaves that to the poller. */
        void postOn();

        /** The device has reported an error. */
        void deviceEvent(String event);

        /** Something has failed. */
        void fail(TransportException cause);

        /** This side closes. */
        void close(TransportException reason);

        /** TCP has ended. */
        void peerClosed(TransportException reason);

        /** Ends now. */
        void end(TransportException reason);

        /** Ends now, for the reason it knows. */
        void endAsFailed();

        /** The last thread has left the posting turn. */
        void turnEnded();

        /** One of the others has thrown this. Takes no memory. */
        void onFault(Throwable fault);
    }

    private static final int BEGIN = 1;
    private static final int OPEN = 1 << 1;
    private static final int POST_ON = 1 << 2;
    private static final int DEVICE_EVENT = 1 << 3;
    private static final int FAIL = 1 << 4;
    private static final int CLOSE = 1 << 5;
    private static final int PEER_CLOSED = 1 << 6;
    private static final int ABORT = 1 << 7;
    private static final int END_AS_FAILED = 1 << 8;
    private static final int TURN_ENDED = 1 << 9;

    private final Dispatcher dispatcher;
    private final Target target;
    private final FlushList.Entry entry = new FlushList.Entry(this::run);
    private final AtomicInteger wanted = new AtomicInteger();
    private final AtomicReference<TransportException> failure = new AtomicReference<>();
    private final AtomicReference<TransportException> closing = new AtomicReference<>();
    private final AtomicReference<TransportException> peerEnd = new AtomicReference<>();
    private final AtomicReference<TransportException> abortion = new AtomicReference<>();
    private volatile RdmaEndpoint.Sink sink;
    private volatile String event = "";

    /** Whether it was aborted before TCP had ended: then that is the reason. */
    private volatile boolean isAbortedFirst;

    EndpointCalls(Dispatcher dispatcher, Target target) {
        this.dispatcher = dispatcher;
        this.target = target;
    }

    void begin() {
        ask(BEGIN);
    }

    void open(RdmaEndpoint.Sink user) {
        sink = user;
        ask(OPEN);
    }

    void postOn() {
        ask(POST_ON);
    }

    void deviceEvent(String what) {
        event = what;
        ask(DEVICE_EVENT);
    }

    void fail(TransportException cause) {
        failure.compareAndSet(null, cause);
        ask(FAIL);
    }

    void close(TransportException reason) {
        closing.compareAndSet(null, reason);
        ask(CLOSE);
    }

    void peerClosed(TransportException reason) {
        peerEnd.compareAndSet(null, reason);
        ask(PEER_CLOSED);
    }

    void abort(TransportException reason) {
        abortion.compareAndSet(null, reason);
        if ((wanted.get() & PEER_CLOSED) == 0) {
            isAbortedFirst = true;
        }
        ask(ABORT);
    }

    void endAsFailed() {
        ask(END_AS_FAILED);
    }

    void turnEnded() {
        ask(TURN_ENDED);
    }

    private void ask(int what) {
        int before;
        do {
            before = wanted.get();
        } while (!wanted.compareAndSet(before, before | what));
        dispatcher.call(entry);
    }

    /** In the order of an endpoint's life. */
    private void run() {
        // what is asked for from now on lists it again: its place may have been passed already, and
        // that of what was asked for after it may not
        int asked = wanted.get();
        if (takes(asked & BEGIN)) {
            attempt(BEGIN);
        }
        if (takes(asked & OPEN)) {
            attempt(OPEN);
        }
        if (takes(asked & POST_ON)) {
            attempt(POST_ON);
        }
        if (takes(asked & DEVICE_EVENT)) {
            attempt(DEVICE_EVENT);
        }
        if (takes(asked & FAIL)) {
            attempt(FAIL);
        }
        if (takes(asked & CLOSE)) {
            attempt(CLOSE);
        }
        if (isAbortedFirst && takes(asked & ABORT)) {
            attempt(ABORT);
        }
        if (takes(asked & PEER_CLOSED)) {
            attempt(PEER_CLOSED);
        }
        if (takes(asked & ABORT)) {
            attempt(ABORT);
        }
        if (takes(asked & END_AS_FAILED)) {
            attempt(END_AS_FAILED);
        }
        if (takes(asked & TURN_ENDED)) {
            attempt(TURN_ENDED);
        }
    }

    /** {@return whether something is wanted, and no longer is now} */
    private boolean takes(int what) {
        int before;
        do {
            before = wanted.get();
            if ((before & what) == 0) {
                return false;
            }
        } while (!wanted.compareAndSet(before, before & ~what));
        return true;
    }

    private void attempt(int what) {
        try {
            perform(what);
        } catch (Throwable e) { // whatever it is, the other calls must not suffer
            target.onFault(e);
        }
    }

    private void perform(int what) {
        switch (what) {
            case BEGIN -> target.begin();
            case OPEN -> target.open(sink);
            case POST_ON -> target.postOn();
            case DEVICE_EVENT -> target.deviceEvent(event);
            case FAIL -> target.fail(failure.get());
            case CLOSE -> target.close(closing.get());
            case PEER_CLOSED -> target.peerClosed(peerEnd.get());
            case ABORT -> target.end(abortion.get());
            case END_AS_FAILED -> target.endAsFailed();
            default -> target.turnEnded();
        }
    }
}
