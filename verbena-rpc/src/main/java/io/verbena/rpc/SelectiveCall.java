// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A call that is made on one channel after the other, until one succeeds. One thread at a time has
 * it; any may cancel it.
 *
 * @param <Q> the request's class
 * @param <R> the response's class
 */
final class SelectiveCall<Q extends Message, R extends Message> {
    private static final TryFailure CANCELED =
            new TryFailure(RpcError.ECANCELED.code(), CombinedChannel.canceled(), false);

    private final SelectiveChannel channel;
    private final RpcMethod<Q, R> method;
    private final Q request;
    private final ClientController whole;
    private final Consumer<Message> done;
    private final long startNs = System.nanoTime();

    /** How long the call may take; the largest number if it has no limit. */
    private final long limitNs;

    /** What unreachable servers cost, which is not part of the call's time. */
    private long connectingNs;

    private int tries;

    /** Which channel has it, or had it last. */
    private int place;

    /** Where it was, as {@link SelectiveChannel#after} wants it. */
    private long visited;

    /** The latest try; null before the first. */
    private volatile ClientController part;

    private volatile boolean isCanceled;

    /** Whether its caller knows the outcome, or is about to. */
    private final AtomicBoolean isOver = new AtomicBoolean();

    SelectiveCall(
            SelectiveChannel channel,
            RpcMethod<Q, R> method,
            Q request,
            ClientController whole,
            int first,
            Consumer<Message> done) {
        this.channel = channel;
        this.method = method;
        this.request = request;
        this.whole = whole;
        this.place = first;
        this.done = done;
        int timeoutMs = whole.timeoutMs(channel.timeoutMs());
        // asked now: later tries begin on other threads, where a service is not known
        this.limitNs =
                Math.min(
                        timeoutMs < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMs),
                        CurrentCall.remainingNs());
    }

    void start() {
        whole.begin(this::cancel);
        send();
    }

    private void cancel() {
        isCanceled = true;
        ClientController current = part;
        if (current != null) {
            current.startCancel();
        }
    }

    private void send() {
        Caller target = channel.channel(place);
        Tried tried;
        try {
            tried = new Tried(channel.part(whole, target), target);
        } catch (Throwable e) {
            channel.health(place).onFailure(System.nanoTime());
            fail(failed(e));
            return;
        }
        part = tried.part;
        if (isCanceled) {
            tried.fail(CANCELED);
            return;
        }
        try {
            limit(tried.part, target);
            target.start(method, request, tried.part, tried);
        } catch (Throwable e) {
            tried.health.onFailure(System.nanoTime());
            tried.fail(failed(e));
        }
        // whoever canceled the call meanwhile may have canceled the try before it began
        if (isCanceled) {
            tried.part.startCancel();
        }
    }

    /** Sends it to another channel, or to all of them once more. */
    private void sendAgain() {
        tries++;
        visited |= 1L << place;
        int next = channel.after(place, visited);
        if (next < 0) {
            visited = 0;
            next = channel.after(place, visited);
        }
        place = next;
        send();
    }

    private static TryFailure failed(Throwable fault) {
        return TryFailure.of(RpcError.EINTERNAL, "the channel failed", fault);
    }

    /** A further try has what is left of the time, or what its channel allows if that is less. */
    private void limit(ClientController tried, Caller target) {
        if (tries > 0 && limitNs != Long.MAX_VALUE) {
            long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs()));
            int usualMs = tried.timeoutMs(CombinedChannel.timeoutMs(target));
            if (usualMs < 0 || leftMs < usualMs) {
                tried.setTimeoutMs((int) Math.min(leftMs, Integer.MAX_VALUE));
            }
        }
    }

    private long leftNs() {
        return limitNs == Long.MAX_VALUE
                ? limitNs
                : limitNs + connectingNs - (System.nanoTime() - startNs);
    }

    /** Ends the call, unless it is over. */
    private void fail(TryFailure failure) {
        if (isOver.compareAndSet(false, true)) {
            whole.outcome(failure.code(), failure.text());
            noteCosts();
            CallNotifier.run(done, method.responsePrototype());
        }
    }

    private void noteCosts() {
        whole.latencyNs(System.nanoTime() - startNs);
        whole.retriedCount(tries);
    }

    /** Told how one channel did. */
    private final class Tried implements CallNotifier.Step {
        private final ClientController part;
        private final ChannelHealth health = channel.health(place);
        private final boolean isConnectingCounted;
        private final long sinceNs = System.nanoTime();
        private final AtomicBoolean isTold = new AtomicBoolean();

        Tried(ClientController part, Caller target) {
            this.part = part;
            this.isConnectingCounted =
                    target instanceof Channel one && one.options().isConnectingCounted();
        }

        /** It was not called, or has thrown; it may have told before. */
        void fail(TryFailure failure) {
            if (isTold.compareAndSet(false, true)) {
                end(failure);
            }
        }

        private void end(TryFailure failure) {
            try {
                part.close();
            } finally {
                SelectiveCall.this.fail(failure);
            }
        }

        @Override
        public boolean isAwaited() {
            return CallNotifier.isAwaited(done);
        }

        @Override
        public void accept(Message response) {
            if (isTold.compareAndSet(false, true)) {
                try {
                    goOn(response);
                } catch (Throwable e) {
                    // nobody else ends the call
                    end(failed(e));
                }
            }
        }

        private void goOn(Message response) {
            learn();
            if (part.failed() && isToBeTriedAgain()) {
                part.close();
                sendAgain();
                return;
            }
            whole.take(part);
            if (isOver.compareAndSet(false, true)) {
                noteCosts();
                CallNotifier.runHere(done, response);
            }
        }

        private void learn() {
            int code = part.errorCode();
            if (isOfChannel(code) || code == RpcError.ERPCTIMEDOUT.code() && tries == 0) {
                health.onFailure(System.nanoTime());
            } else if (!saysNothing(code)) {
                health.onAnswer();
            }
        }

        /** {@return whether another channel may do better} */
        private static boolean isOfChannel(int code) {
            return RetriedCodes.contains(code) || code == RpcError.ETOOMANYFAILS.code();
        }

        /** Canceled, refused by the channel itself, or out of time that others have spent. */
        private static boolean saysNothing(int code) {
            return code == RpcError.ECANCELED.code()
                    || code == RpcError.EREJECT.code()
                    || code == RpcError.ERPCTIMEDOUT.code();
        }

        private boolean isToBeTriedAgain() {
            int code = part.errorCode();
            if (!isConnectingCounted && isOfConnecting(code)) {
                connectingNs += System.nanoTime() - sinceNs;
            }
            return tries < channel.maxRetry()
                    && isOfChannel(code)
                    && leftNs() > 0
                    && (hasReachedNobody(code) || channel.budget().tryTake());
        }

        private static boolean isOfConnecting(int code) {
            return code == RpcError.ETIMEDOUT.code() || hasReachedNobody(code);
        }

        /** Such a try was no load for any server, so another one multiplies none. */
        private static boolean hasReachedNobody(int code) {
            return code == RpcError.ENODATA.code()
                    || code == RpcError.EHOSTDOWN.code()
                    || code == RpcError.EHOSTUNREACH.code()
                    || code == RpcError.ECONNREFUSED.code();
        }
    }
}
