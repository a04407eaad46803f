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
 *
 * <p>All tries share the time limit of the call, or the longest of the channels' if it has none.
 */
public final class SelectiveChannel extends CombinedChannel {
    private static final int UNLIMITED = -1;

    private final int maxRetry;
    private final int retryPercent;
    private final RetryBudget budget;
    private final AtomicInteger next = new AtomicInteger();

    private SelectiveChannel(List<? extends Caller> channels, int maxRetry, int retryPercent) {
        super(channels);
        this.maxRetry = maxRetry;
        this.retryPercent = retryPercent;
        this.budget = new RetryBudget(retryPercent);
    }

    /**
     * {@return a combination that tries each channel once, with the usual budget of retries}
     *
     * @param channels at least one
     */
    public static SelectiveChannel of(List<? extends Caller> channels) {
        return new SelectiveChannel(
                channels, channels.size() - 1, ClusterOptions.DEFAULT.retryPercent());
    }

    /**
     * {@return a copy with another limit of retries}
     *
     * @param value on how many further channels a call is tried; 0 or more
     */
    public SelectiveChannel withMaxRetry(int value) {
        Options.require(value >= 0, "max_retry", value, ">= 0");
        return new SelectiveChannel(channels(), value, retryPercent);
    }

    /**
     * {@return a copy with another budget of retries, as {@link ClusterOptions#withRetryPercent}
     * has it for one channel} The retries that the channels make themselves are theirs. A channel
     * that reaches no server costs nothing: its calls may all go to another.
     *
     * @param value how many tries on a further channel are allowed per 100 calls; -1 means any
     */
    public SelectiveChannel withRetryPercent(int value) {
        Options.require(value >= UNLIMITED, "retry percent", value, ">= 0, or -1 for any number");
        return new SelectiveChannel(channels(), maxRetry, value);
    }

    @Override
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
        budget.deposit(System.nanoTime());
        int first = Math.floorMod(next.getAndIncrement(), channels().size());
        new SelectiveCall<>(this, method, request, call, first, done).start();
    }

    Caller channel(int place) {
        return channels().get(place % channels().size());
    }

    int maxRetry() {
        return maxRetry;
    }

    RetryBudget budget() {
        return budget;
    }
}
