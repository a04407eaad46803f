// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Makes each call on one of several channels, and on another if that fails; brpc's {@code
 * SelectiveChannel}: channels to clusters, to data centres, or combined ones, where a balancer can
 * only choose among servers. Takes one channel after the other. The channels stay their creator's.
 */
public final class SelectiveChannel extends CombinedChannel {
    private final int maxRetry;
    private final AtomicInteger next = new AtomicInteger();

    private SelectiveChannel(List<? extends Caller> channels, int maxRetry) {
        super(channels);
        this.maxRetry = maxRetry;
    }

    /**
     * {@return a combination that tries each channel once}
     *
     * @param channels at least one
     */
    public static SelectiveChannel of(List<? extends Caller> channels) {
        return new SelectiveChannel(channels, channels.size() - 1);
    }

    /**
     * {@return a copy with another limit of retries}
     *
     * @param value on how many further channels a call is tried; 0 or more
     */
    public SelectiveChannel withMaxRetry(int value) {
        Options.require(value >= 0, "max_retry", value, ">= 0");
        return new SelectiveChannel(channels(), value);
    }

    @Override
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
        int first = Math.floorMod(next.getAndIncrement(), channels().size());
        new Selection<>(method, request, call, first, done).start();
    }

    /** A call, and the channels that it has tried. */
    private final class Selection<Q extends Message, R extends Message> {
        private final RpcMethod<Q, R> method;
        private final Q request;
        private final ClientController whole;
        private final int first;
        private final Consumer<Message> done;
        private final long startNs = System.nanoTime();
        private volatile ClientController part;
        private int tries;

        Selection(
                RpcMethod<Q, R> method,
                Q request,
                ClientController whole,
                int first,
                Consumer<Message> done) {
            this.method = method;
            this.request = request;
            this.whole = whole;
            this.first = first;
            this.done = done;
        }

        void start() {
            whole.begin(() -> part.startCancel());
            send();
        }

        private void send() {
            Caller channel = channels().get((first + tries) % channels().size());
            ClientController next = part(whole, channel);
            next.limit(startNs);
            part = next;
            channel.start(method, request, next, new Tried(next));
        }

        /** The channels may be the program's own. */
        private void sendAgain() {
            try {
                send();
            } catch (Throwable e) {
                TryFailure failure =
                        TryFailure.of(RpcError.EINTERNAL, "the next channel failed", e);
                whole.outcome(failure.code(), failure.text());
                Completion.runHere(done, method.responsePrototype());
            }
        }

        /** Told how one channel did. */
        private final class Tried implements Completion.Step {
            private final ClientController tried;

            Tried(ClientController tried) {
                this.tried = tried;
            }

            @Override
            public boolean isAwaited() {
                return Completion.isAwaited(done);
            }

            @Override
            public void accept(Message response) {
                if (tried.failed() && tries < maxRetry && isRetried(tried.errorCode())) {
                    tries++;
                    tried.close();
                    sendAgain();
                    return;
                }
                whole.take(tried);
                whole.latencyNs(System.nanoTime() - startNs);
                whole.retriedCount(tries);
                Completion.runHere(done, response);
            }
        }

        private boolean isRetried(int code) {
            return RetriedCodes.contains(code) || code == RpcError.ETOOMANYFAILS.code();
        }
    }
}
