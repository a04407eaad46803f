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
        int code = RpcError.EREQUEST.code();
        end(code, "[E" + code + "]" + Faults.describe("the mapper failed", fault));
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
        Part part = new Part(place, planned);
        try {
            channel.start(method, (Q) requests[place], parts[place], part);
        } catch (Throwable e) {
            part.fail(e);
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
    private final class Part implements Completion.Step {
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
                int code = RpcError.EINTERNAL.code();
                parts[place].outcome(
                        code, "[E" + code + "]" + Faults.describe("the channel failed", fault));
                take(method.responsePrototype());
            }
        }

        @Override
        public boolean isAwaited() {
            return Completion.isAwaited(done);
        }

        @Override
        public void accept(Message response) {
            if (isTold.compareAndSet(false, true)) {
                take(response);
            }
        }

        private void take(Message response) {
            if (parts[place].failed()) {
                failed = failed == null ? parts[place] : failed;
                if (failures.incrementAndGet() >= Math.min(failLimit, planned)) {
                    tooMany();
                }
            } else {
                responses[place] = response;
                successes.incrementAndGet();
            }
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
        end(
                code,
                isAlone
                        ? first.errorText()
                        : "[E"
                                + code
                                + "]"
                                + failures.get()
                                + " channels failed, such as "
                                + first.errorText());
        cancelParts();
    }

    private void end(int code, String text) {
        if (isOver.compareAndSet(false, true)) {
            whole.outcome(code, text);
            whole.latencyNs(System.nanoTime() - startNs);
            Completion.run(done, method.responsePrototype());
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
            int code = RpcError.ERESPONSE.code();
            whole.outcome(code, "[E" + code + "]" + Faults.describe("merging failed", e));
        }
        whole.latencyNs(System.nanoTime() - startNs);
        Completion.runHere(done, merged);
    }

    /** No part is under way: what came along with them has no reader. */
    private void release() {
        for (ClientController part : parts) {
            if (part != null) {
                part.close();
            }
        }
        released.run();
    }
}
