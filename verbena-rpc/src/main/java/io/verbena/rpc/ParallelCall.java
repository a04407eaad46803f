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
 * A call on several channels at once. It ends when all parts have, or when too many have failed;
 * then the others are canceled. Any thread.
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
    private final ClientController[] parts;
    private final Message[] requests;
    private final Message[] responses;
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger successes = new AtomicInteger();
    private final AtomicInteger left;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final long startNs = System.nanoTime();

    /** The first failure; null while there is none. */
    private volatile ClientController failed;

    ParallelCall(
            RpcMethod<Q, R> method,
            ClientController whole,
            ParallelChannel.Merger merger,
            int failLimit,
            int size,
            Consumer<Message> done) {
        this.method = method;
        this.whole = whole;
        this.merger = merger;
        this.failLimit = failLimit;
        this.done = done;
        this.parts = new ClientController[size];
        this.requests = new Message[size];
        this.responses = new Message[size];
        this.left = new AtomicInteger();
    }

    /** A channel gets a request, or none. */
    void plan(int place, Optional<Message> request, ClientController part) {
        parts[place] = part;
        requests[place] = request.orElse(null);
        if (request.isPresent()) {
            left.incrementAndGet();
        }
    }

    @SuppressWarnings("unchecked") // a mapper returns messages of the request's class
    void start(List<Caller> channels) {
        whole.begin(this::cancel);
        int planned = left.get();
        if (planned == 0) {
            end(RpcError.ECANCELED.code(), "no channel was to be called");
            return;
        }
        for (int i = 0; i < parts.length; i++) {
            if (requests[i] != null) {
                channels.get(i).start(method, (Q) requests[i], parts[i], new Part(i, planned));
            }
        }
    }

    private void cancel() {
        for (ClientController part : parts) {
            part.startCancel();
        }
    }

    /** Told how one channel did. */
    private final class Part implements Completion.Step {
        private final int place;
        private final int planned;

        Part(int place, int planned) {
            this.place = place;
            this.planned = planned;
        }

        @Override
        public boolean isAwaited() {
            return Completion.isAwaited(done);
        }

        @Override
        public void accept(Message response) {
            if (parts[place].failed()) {
                failed = failed == null ? parts[place] : failed;
                if (failures.incrementAndGet() >= Math.min(failLimit, planned)) {
                    tooMany();
                }
            } else {
                responses[place] = response;
                successes.incrementAndGet();
            }
            if (left.decrementAndGet() == 0) {
                merge();
            }
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
        cancel();
    }

    private void end(int code, String text) {
        if (isOver.compareAndSet(false, true)) {
            whole.outcome(code, text);
            whole.latencyNs(System.nanoTime() - startNs);
            Completion.run(done, method.responsePrototype());
            releaseIfLast();
        }
    }

    private void merge() {
        if (isOver.compareAndSet(false, true)) {
            mergeHere();
        }
        releaseIfLast();
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

    /** What came along with the parts has no reader. */
    private void releaseIfLast() {
        if (left.get() == 0) {
            for (ClientController part : parts) {
                part.close();
            }
        }
    }
}
