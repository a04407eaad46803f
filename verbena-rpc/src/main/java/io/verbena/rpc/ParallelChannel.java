// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Makes each call on several channels at once, and merges the responses into one; brpc's {@code
 * ParallelChannel}. The channels stay their creator's, who closes them.
 *
 * {@snippet :
 * ParallelChannel both = ParallelChannel.of(List.of(one, other)).withFailLimit(1);
 * Found found = new SearchServiceClient(both).search(query);
 * }
 */
public final class ParallelChannel extends CombinedChannel {
    /** Decides what each channel gets. */
    @FunctionalInterface
    public interface Mapper {
        /** Every channel gets the same request. */
        Mapper SAME = (channel, channels, method, request) -> Optional.of(request);

        /**
         * {@return what a channel gets, of the request's class; nothing if it is left out}
         *
         * @param channel which one, from 0
         * @param channels how many there are
         * @param method the method that is called
         * @param request the caller's request
         */
        Optional<Message> map(int channel, int channels, RpcMethod<?, ?> method, Message request);
    }

    /** Makes one response of several. */
    @FunctionalInterface
    public interface Merger {
        /** Merges as protobuf does: repeated fields are joined, later values replace earlier. */
        Merger PROTOBUF = (merged, response) -> merged.toBuilder().mergeFrom(response).build();

        /**
         * {@return both in one}
         *
         * @param merged what was merged so far; at first an empty response
         * @param response the next response, in the order of the channels
         */
        Message merge(Message merged, Message response);
    }

    private final Mapper mapper;
    private final Merger merger;
    private final int failLimit;

    private ParallelChannel(
            List<? extends Caller> channels, Mapper mapper, Merger merger, int failLimit) {
        super(channels);
        this.mapper = mapper;
        this.merger = merger;
        this.failLimit = failLimit;
    }

    /**
     * {@return a combination that sends the same request everywhere, merges as protobuf does, and
     * fails only if all channels do}
     *
     * @param channels at least one
     */
    public static ParallelChannel of(List<? extends Caller> channels) {
        return new ParallelChannel(channels, Mapper.SAME, Merger.PROTOBUF, channels.size());
    }

    /**
     * {@return a copy with another mapper}
     *
     * @param value called by the thread that calls; if it throws, the call ends with EREQUEST
     */
    public ParallelChannel withMapper(Mapper value) {
        return new ParallelChannel(
                channels(), Objects.requireNonNull(value, "value"), merger, failLimit);
    }

    /**
     * {@return a copy with another merger}
     *
     * @param value called on a thread of its own, once all responses are there
     */
    public ParallelChannel withMerger(Merger value) {
        return new ParallelChannel(
                channels(), mapper, Objects.requireNonNull(value, "value"), failLimit);
    }

    /**
     * {@return a copy with another limit of failures}
     *
     * @param value with how many failed channels the call fails, at once; at least 1
     */
    public ParallelChannel withFailLimit(int value) {
        Options.require(value >= 1, "fail limit", value, ">= 1");
        return new ParallelChannel(channels(), mapper, merger, value);
    }

    @Override
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done) {
        begin(method, request, call, done, () -> {});
    }

    /** Starts a call; {@code released} is run once no channel has anything to do with it. */
    <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method,
            Q request,
            ClientController call,
            Consumer<Message> done,
            Runnable released) {
        List<Caller> channels = channels();
        ParallelCall<Q, R> parallel =
                new ParallelCall<>(
                        method, call, merger, failLimit, channels.size(), done, released);
        parallel.begin();
        try {
            for (int i = 0; i < channels.size(); i++) {
                parallel.plan(
                        i,
                        mapper.map(i, channels.size(), method, request),
                        part(call, channels.get(i)));
            }
        } catch (Throwable e) {
            parallel.refuse(e);
            return;
        }
        parallel.start(channels);
    }
}
