// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Makes each call on one of several channels, and on another if that fails; brpc's {@code
 * SelectiveChannel}: channels to clusters, to data centres, or combined ones, where a balancer can
 * only choose among servers. Takes one channel after the other; one that has failed several times
 * in a row comes last, until a call that tries it now and then finds that it works. The channels
 * stay their creator's.
 *
 * <p>All tries share the time limit of the call, or the longest of the channels' if it has none.
 */
public final class SelectiveChannel extends CombinedChannel {
    private static final int UNLIMITED = -1;

    private final int maxRetry;
    private final int retryPercent;
    private final RetryBudget budget;
    private final AtomicInteger next = new AtomicInteger();

    /** Of the channels, in their order. */
    private final List<ChannelHealth> healths;

    private SelectiveChannel(List<? extends Caller> channels, int maxRetry, int retryPercent) {
        super(channels);
        this.maxRetry = maxRetry;
        this.retryPercent = retryPercent;
        this.budget = new RetryBudget(retryPercent);
        this.healths = channels.stream().map(_ -> new ChannelHealth()).toList();
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
        long nowNs = System.nanoTime();
        budget.deposit(nowNs);
        new SelectiveCall<>(this, method, request, call, first(nowNs), done).start();
    }

    /**
     * {@return where a call begins} Passing over a channel takes another turn, so that those that
     * work get equal parts of its calls.
     */
    private int first(long nowNs) {
        for (int i = 0; i < healths.size(); i++) {
            int place = turn();
            ChannelHealth health = healths.get(place);
            if (health.isGood() || health.tryProbe(nowNs)) {
                return place;
            }
        }
        return turn();
    }

    private int turn() {
        return Math.floorMod(next.getAndIncrement(), healths.size());
    }

    /**
     * {@return where a call goes next: to each channel once, to those that work first; -1 if it was
     * everywhere}
     *
     * @param place where it was last
     * @param visited a bit for each place where it was; of more than 64 channels some share one
     */
    int after(int place, long visited) {
        int failing = -1;
        for (int i = 1; i <= healths.size(); i++) {
            int other = (place + i) % healths.size();
            if ((visited & 1L << other) == 0) {
                if (healths.get(other).isGood()) {
                    return other;
                }
                failing = failing < 0 ? other : failing;
            }
        }
        return failing;
    }

    Caller channel(int place) {
        return channels().get(place);
    }

    ChannelHealth health(int place) {
        return healths.get(place);
    }

    int maxRetry() {
        return maxRetry;
    }

    RetryBudget budget() {
        return budget;
    }
}
