// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A call on several channels at once. It ends when all parts have, when too many have failed, or
 * when it is canceled; then the other parts are canceled, and those that have not begun never do.
 * Any thread.
 *
 * @param <Q> the request's class
 * @param <R> the response's class
 */
final class ParallelCall<Q extends Message, R extends Message> {
    private final RpcMethod<Q, R> method;
    private final ClientController whole;
    private final ParallelChannel.Merger merger;
    private final int failLimit;
    private final Consumer<Message> done;
    private final Runnable released;
    private final ClientController[] parts;
    private final Message[] requests;
    private final Message[] responses;
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger successes = new AtomicInteger();
    private final AtomicInteger left;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final long startNs = System.nanoTime();

    /** How many of the channels were called, or left out: publishes their parts. */
    private volatile int begun;

    /** The first failure; null while there is none. */
    private volatile ClientController failed;

    ParallelCall(
            RpcMethod<Q, R> method,
            ClientController whole,
            ParallelChannel.Merger merger,
            int failLimit,
            int size,
            Consumer<Message> done,
            Runnable released) {
        this.method = method;
        this.whole = whole;
        this.merger = merger;
        this.failLimit = failLimit;
        this.done = done;
        this.released = released;
        this.parts = new ClientController[size];
        this.requests = new Message[size];
        this.responses = new Message[size];
        this.left = new AtomicInteger();
    }

    /** From now on the call can be canceled. */
    void begin() {
        whole.begin(this::cancel);
    }

    /** A channel gets a request, or none. */
    void plan(int place, Optional<Message> request, ClientController part) {
        parts[place] = part;
        requests[place] = request.orElse(null);
        if (request.isPresent()) {
            left.incrementAndGet();
        }
    }

    /** What the channels get cannot be found out. */
    void refuse(Throwable fault) {
        TryFailure failure = TryFailure.of(RpcError.EREQUEST, "the mapper failed", fault);
        end(failure.code(), failure.text());
        release();
    }

    void start(List<Caller> channels) {
        int planned = left.get();
        if (planned == 0) {
            end(RpcError.ECANCELED.code(), "no channel was to be called");
            release();
            return;
        }
        for (int i = 0; i < parts.length; i++) {
            begun = i + 1;
            if (requests[i] != null) {
                start(channels.get(i), i, planned);
            }
        }
    }

    @SuppressWarnings("unchecked") // a mapper returns messages of the request's class
    private void start(Caller channel, int place, int planned) {
        if (isOver.get()) {
            endPart();
            return;
        }
        Part part = null;
        try {
            part = new Part(place, planned);
            channel.start(method, (Q) requests[place], parts[place], part);
        } catch (Throwable e) {
            if (part == null) {
                fail(place, planned, e);
            } else {
                part.fail(e);
            }
        }
        // whoever ended the call meanwhile may have canceled the part before it began
        if (isOver.get()) {
            parts[place].startCancel();
        }
    }

    private void cancel() {
        end(RpcError.ECANCELED.code(), CombinedChannel.canceled());
        cancelParts();
    }

    private void cancelParts() {
        int count = begun;
        for (int i = 0; i < count; i++) {
            parts[i].startCancel();
        }
    }

    /** Told how one channel did. */
    private final class Part implements CallNotifier.Step {
        private final int place;
        private final int planned;
        private final AtomicBoolean isTold = new AtomicBoolean();

        Part(int place, int planned) {
            this.place = place;
            this.planned = planned;
        }

        /** The channel has thrown; it may have told before. */
        void fail(Throwable fault) {
            if (isTold.compareAndSet(false, true)) {
                ParallelCall.this.fail(place, planned, fault);
            }
        }

        @Override
        public boolean isAwaited() {
            return CallNotifier.isAwaited(done);
        }

        @Override
        public void accept(Message response) {
            if (isTold.compareAndSet(false, true)) {
                take(place, planned, response);
            }
        }
    }

    private void fail(int place, int planned, Throwable fault) {
        TryFailure failure = TryFailure.of(RpcError.EINTERNAL, "the channel failed", fault);
        parts[place].outcome(failure.code(), failure.text());
        take(place, planned, method.responsePrototype());
    }

    /** A part is over, whatever happens here: without it the call would never end. */
    private void take(int place, int planned, Message response) {
        try {
            if (parts[place].failed()) {
                failed = failed == null ? parts[place] : failed;
                if (failures.incrementAndGet() >= Math.min(failLimit, planned)) {
                    tooMany();
                }
            } else {
                responses[place] = response;
                successes.incrementAndGet();
            }
        } catch (Throwable e) {
            Faults.warn(ParallelCall.class, "the other parts go on", method, e);
        } finally {
            endPart();
        }
    }

    private void endPart() {
        if (left.decrementAndGet() == 0) {
            merge();
            release();
        }
    }

    private void tooMany() {
        ClientController first = failed;
        boolean isAlone = parts.length == 1;
        int code = isAlone ? first.errorCode() : RpcError.ETOOMANYFAILS.code();
        end(code, isAlone ? first.errorText() : tooMany(code, first.errorText()));
        cancelParts();
    }

    /** Never throws: the outcome is known. */
    private String tooMany(int code, String first) {
        try {
            return "[E" + code + "]" + failures.get() + " channels failed, such as " + first;
        } catch (OutOfMemoryError e) {
            return first;
        }
    }

    private void end(int code, String text) {
        if (isOver.compareAndSet(false, true)) {
            whole.outcome(code, text);
            whole.latencyNs(System.nanoTime() - startNs);
            CallNotifier.run(done, method.responsePrototype());
        }
    }

    private void merge() {
        if (isOver.compareAndSet(false, true)) {
            mergeHere();
        }
    }

    private void mergeHere() {
        Message merged = method.responsePrototype();
        try {
            for (Message response : responses) {
                if (response != null) {
                    merged = merger.merge(merged, response);
                }
            }
            whole.outcome(0, "");
        } catch (Throwable e) {
            merged = method.responsePrototype();
            TryFailure failure = TryFailure.of(RpcError.ERESPONSE, "merging failed", e);
            whole.outcome(failure.code(), failure.text());
        }
        whole.latencyNs(System.nanoTime() - startNs);
        CallNotifier.runHere(done, merged);
    }

    /** No part is under way: what came along with them has no reader. */
    private void release() {
        try {
            for (ClientController part : parts) {
                if (part != null) {
                    part.close();
                }
            }
        } finally {
            released.run();
        }
    }
}
