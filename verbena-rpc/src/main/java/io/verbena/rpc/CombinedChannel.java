// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What combined channels have in common: each kind of call is a call with a callback. */
abstract class CombinedChannel implements Caller {
    private static final int UNLIMITED = -1;

    private final List<Caller> channels;

    /** One whose channels change. */
    CombinedChannel() {
        this.channels = List.of();
    }

    CombinedChannel(List<? extends Caller> channels) {
        Options.require(!channels.isEmpty(), "channels", channels, "at least one");
        this.channels = List.copyOf(channels);
    }

    /** {@return the channels it combines} */
    final List<Caller> channels() {
        return channels;
    }

    /** Starts a call; {@code done} is run once, when the controller says how it went. */
    abstract <Q extends Message, R extends Message> void begin(
            RpcMethod<Q, R> method, Q request, ClientController call, Consumer<Message> done);

    /** {@return the longest time limit that its channels have for a call; -1 if one has none} */
    int timeoutMs() {
        int longest = 0;
        for (Caller channel : channels) {
            int limit = timeoutMs(channel);
            if (limit < 0) {
                return UNLIMITED;
            }
            longest = Math.max(longest, limit);
        }
        return longest;
    }

    static int timeoutMs(Caller channel) {
        return switch (channel) {
            case Channel one -> one.options().timeoutMs();
            case CombinedChannel several -> several.timeoutMs();
            default -> UNLIMITED;
        };
    }

    static String canceled() {
        return "[E" + RpcError.ECANCELED.code() + "]canceled by the caller";
    }

    @Override
    public ClientCall newCall() {
        return channels.getFirst().newCall();
    }

    static ClientController own(ClientCall call) {
        return switch (call) {
            case ClientController own -> own;
        };
    }

    /** {@return settings for a part of a call, as the whole has them} */
    final ClientController part(ClientController whole, Caller channel) {
        ClientController part = own(channel.newCall());
        part.inherit(whole);
        return part;
    }

    @Override
    public final <Q extends Message, R extends Message> R call(RpcMethod<Q, R> method, Q request) {
        try (ClientCall call = newCall()) {
            return call(method, request, call);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the answer is of its prototype's class
    public final <Q extends Message, R extends Message> R call(
            RpcMethod<Q, R> method, Q request, ClientCall call) {
        CallWaiter waiter = new CallWaiter(own(call));
        begin(method, Objects.requireNonNull(request, "request"), own(call), waiter);
        R response = (R) waiter.await();
        if (call.failed()) {
            throw new RpcException(call.errorCode(), call.errorText());
        }
        return response;
    }

    @Override
    public final <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
            RpcMethod<Q, R> method, Q request) {
        ClientCall call = newCall();
        CompletableFuture<R> future = callAsync(method, request, call);
        // whatever came along with the response has no reader
        var _ = future.whenComplete((response, failure) -> call.close());
        return future;
    }

    @Override
    public final <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
            RpcMethod<Q, R> method, Q request, ClientCall call) {
        CallFuture<R> future = new CallFuture<>(own(call));
        begin(method, Objects.requireNonNull(request, "request"), own(call), future);
        return future;
    }

    @Override
    @SuppressWarnings("unchecked") // the answer is of its prototype's class
    public final <Q extends Message, R extends Message> void start(
            RpcMethod<Q, R> method, Q request, ClientCall call, Consumer<? super R> done) {
        begin(
                method,
                Objects.requireNonNull(request, "request"),
                own(call),
                (Consumer<Message>) done);
    }
}
