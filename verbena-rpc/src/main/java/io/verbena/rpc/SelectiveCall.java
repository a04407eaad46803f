// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
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
    private final SelectiveChannel channel;
    private final RpcMethod<Q, R> method;
    private final Q request;
    private final ClientController whole;
    private final int first;
    private final Consumer<Message> done;
    private final long startNs = System.nanoTime();

    /** How long the call may take; the largest number if it has no limit. */
    private final long limitNs;

    /** What unreachable servers cost, which is not part of the call's time. */
    private long connectingNs;

    private int tries;

    /** The latest try; null before the first. */
    private volatile ClientController part;

    private volatile boolean isCanceled;

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
        this.first = first;
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
        Caller target = channel.channel(first + tries);
        Tried tried;
        try {
            tried = new Tried(channel.part(whole, target), target);
        } catch (Throwable e) {
            whole.outcome(RpcError.EINTERNAL.code(), text(RpcError.EINTERNAL, e));
            end(method.responsePrototype());
            return;
        }
        limit(tried.part, target);
        part = tried.part;
        if (isCanceled) {
            tried.fail(RpcError.ECANCELED, CombinedChannel.canceled());
            return;
        }
        try {
            target.start(method, request, tried.part, tried);
        } catch (Throwable e) {
            tried.fail(RpcError.EINTERNAL, text(RpcError.EINTERNAL, e));
        }
        // whoever canceled the call meanwhile may have canceled the try before it began
        if (isCanceled) {
            tried.part.startCancel();
        }
    }

    private static String text(RpcError error, Throwable fault) {
        return "[E" + error.code() + "]" + Faults.describe("the channel failed", fault);
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

    private void end(Message response) {
        whole.latencyNs(System.nanoTime() - startNs);
        whole.retriedCount(tries);
        Completion.run(done, response);
    }

    /** Told how one channel did. */
    private final class Tried implements Completion.Step {
        private final ClientController part;
        private final boolean isConnectingCounted;
        private final long sinceNs = System.nanoTime();
        private final AtomicBoolean isTold = new AtomicBoolean();

        Tried(ClientController part, Caller target) {
            this.part = part;
            this.isConnectingCounted =
                    target instanceof Channel one && one.options().isConnectingCounted();
        }

        /** It was not called, or has thrown; it may have told before. */
        void fail(RpcError error, String text) {
            if (isTold.compareAndSet(false, true)) {
                part.outcome(error.code(), text);
                whole.take(part);
                end(method.responsePrototype());
            }
        }

        @Override
        public boolean isAwaited() {
            return Completion.isAwaited(done);
        }

        @Override
        public void accept(Message response) {
            if (!isTold.compareAndSet(false, true)) {
                return;
            }
            if (part.failed() && isToBeTriedAgain()) {
                tries++;
                part.close();
                send();
                return;
            }
            whole.take(part);
            whole.latencyNs(System.nanoTime() - startNs);
            whole.retriedCount(tries);
            Completion.runHere(done, response);
        }

        private boolean isToBeTriedAgain() {
            int code = part.errorCode();
            if (!isConnectingCounted && isOfConnecting(code)) {
                connectingNs += System.nanoTime() - sinceNs;
            }
            return tries < channel.maxRetry()
                    && (RetriedCodes.contains(code) || code == RpcError.ETOOMANYFAILS.code())
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
