// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Calls the services of one server, or of several equivalent ones; brpc's {@code Channel}.
 *
 * <p>Threads: any may call any method. Blocking calls are meant for virtual threads.
 *
 * <p>Failure: a failed call says so in its {@link Controller}. Only blocking calls and futures also
 * throw an {@link RpcException}; a callback gets an empty message.
 */
public final class Channel implements Caller, AutoCloseable {
    private final RpcNode node;
    private final CallSettings settings;

    /** Makes the calls if the channel does not speak baidu_std. */
    private final Optional<ExchangeCalls> exchangeCalls;

    private final StreamCalls streams;

    Channel(RpcNode node, CallSettings settings) {
        this.node = node;
        this.settings = settings;
        this.exchangeCalls = node.exchangeCalls(settings);
        this.streams =
                new StreamCalls(
                        settings,
                        node.streamTimer(),
                        exchangeCalls.isPresent()
                                ? exchangeCalls.get()
                                : node.baiduStreams(settings));
    }

    /**
     * {@return a channel to one server} Nothing is connected before the first call.
     *
     * @param node provides transport, connections and flags
     * @param address {@code host:port}
     * @param options its settings
     * @throws IllegalArgumentException if the address is malformed, or options contradict each
     *     other
     */
    public static Channel open(RpcNode node, String address, ChannelOptions options) {
        options.check(node.clientProtocols().keySet());
        return new Channel(node, new CallSettings(options, node.singleServer(address, options)));
    }

    /**
     * {@return a channel to several equivalent servers} Nothing is connected before the first call.
     *
     * @param node provides transport, connections and flags
     * @param url the address of a registry, such as {@code list://a:8002,b:8002}
     * @param balancer how to choose among the servers, such as {@code rr} or {@code random}
     * @param options its settings
     * @throws IllegalArgumentException if the registry or balancer is unknown, or options
     *     contradict each other
     */
    public static Channel open(RpcNode node, String url, String balancer, ChannelOptions options) {
        options.check(node.clientProtocols().keySet());
        if (balancer.isEmpty() && !Plugins.isUrl(url)) {
            return open(node, url, options);
        }
        return new Channel(
                node, new CallSettings(options, node.balancedServers(url, balancer, options)));
    }

    /**
     * Connects to the server, or to all servers that are listed now, ahead of the first call.
     *
     * @return completes when all are connected; fails with an {@link RpcException} if one cannot be
     *     reached, or with an {@link UnsupportedOperationException} if the channel's protocol
     *     connects with the first call only; neither does harm to the channel
     */
    public CompletableFuture<Void> connect() {
        if (exchangeCalls.isPresent()) {
            return exchangeCalls.get().connect();
        }
        ChannelOptions options = settings.options();
        return CompletableFuture.allOf(
                settings.servers().targets().stream()
                        .map(
                                target ->
                                        target.server()
                                                .connect(
                                                        options.connectionType(),
                                                        options.connectTimeoutMs()))
                        .toArray(CompletableFuture[]::new));
    }

    /** {@return settings for a call on this channel, all as the channel has them} */
    @Override
    public ClientCall newCall() {
        return node.controller();
    }

    /**
     * {@return the response} Waits for it. An interrupt cancels the call.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @throws RpcException if the call failed
     */
    @Override
    public <Q extends Message, R extends Message> R call(RpcMethod<Q, R> method, Q request) {
        try (ClientController call = node.controller()) {
            return call(method, request, call);
        }
    }

    /**
     * {@return the response} Waits for it. An interrupt cancels the call.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call
     * @throws RpcException if the call failed
     */
    @Override
    public <Q extends Message, R extends Message> R call(
            RpcMethod<Q, R> method, Q request, ClientCall call) {
        ClientController controller = own(call);
        R response =
                waitFor(
                        method.descriptor(),
                        method.names(),
                        controller,
                        Objects.requireNonNull(request, "request"),
                        method.responsePrototype());
        throwIfFailed(controller);
        return response;
    }

    /**
     * {@return the future response; fails with an {@link RpcException}} Dependent stages run on a
     * virtual thread unless the options say otherwise.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     */
    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
            RpcMethod<Q, R> method, Q request) {
        ClientController call = node.controller();
        CompletableFuture<R> future = callAsync(method, request, call);
        // whatever came along with the response has no reader
        var _ = future.whenComplete((response, failure) -> call.close());
        return future;
    }

    /**
     * {@return the future response; fails with an {@link RpcException}} Dependent stages run on a
     * virtual thread unless the options say otherwise.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call; belongs to it until it is over
     */
    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
            RpcMethod<Q, R> method, Q request, ClientCall call) {
        CallFuture<R> future = new CallFuture<>(own(call));
        start(
                method.descriptor(),
                method.names(),
                own(call),
                Objects.requireNonNull(request, "request"),
                method.responsePrototype(),
                future);
        return future;
    }

    /**
     * Starts a call and returns.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call; belongs to it until it is over, and then says how it
     *     went
     * @param done called once, with an empty response if the call failed; on a virtual thread
     *     unless the options say otherwise
     */
    @SuppressWarnings("unchecked") // the answer is of its prototype's class
    @Override
    public <Q extends Message, R extends Message> void start(
            RpcMethod<Q, R> method, Q request, ClientCall call, Consumer<? super R> done) {
        start(
                method.descriptor(),
                method.names(),
                own(call),
                Objects.requireNonNull(request, "request"),
                method.responsePrototype(),
                (Consumer<Message>) done);
    }

    /**
     * {@return the responses of a method with one request and many responses} Returns at once; a
     * failure is thrown by the reader.
     *
     * @param <Q> the request's class
     * @param <R> the responses' class
     * @param method the method to call
     * @param request what to send
     */
    @Override
    public <Q extends Message, R extends Message> StreamReader<R> serverStream(
            RpcMethod<Q, R> method, Q request) {
        return streams.serverStream(method, request, node.controller(), true);
    }

    /**
     * {@return the responses of a method with one request and many responses} Returns at once; a
     * failure is thrown by the reader.
     *
     * @param <Q> the request's class
     * @param <R> the responses' class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call; belongs to it until it is over. Its time limit is that
     *     of the whole call, which has none otherwise
     */
    @Override
    public <Q extends Message, R extends Message> StreamReader<R> serverStream(
            RpcMethod<Q, R> method, Q request, ClientCall call) {
        return streams.serverStream(method, request, own(call), false);
    }

    /**
     * {@return a call of a method with many requests and one response} Returns at once.
     *
     * @param <Q> the requests' class
     * @param <R> the response's class
     * @param method the method to call
     */
    @Override
    public <Q extends Message, R extends Message> ClientStreamCall<Q, R> clientStream(
            RpcMethod<Q, R> method) {
        return streams.clientStream(method, node.controller(), true);
    }

    /**
     * {@return a call of a method with many requests and one response} Returns at once.
     *
     * @param <Q> the requests' class
     * @param <R> the response's class
     * @param method the method to call
     * @param call the settings of the call, as for {@link #serverStream}
     */
    @Override
    public <Q extends Message, R extends Message> ClientStreamCall<Q, R> clientStream(
            RpcMethod<Q, R> method, ClientCall call) {
        return streams.clientStream(method, own(call), false);
    }

    /**
     * {@return a call of a method with many requests and many responses} Returns at once.
     *
     * @param <Q> the requests' class
     * @param <R> the responses' class
     * @param method the method to call
     */
    @Override
    public <Q extends Message, R extends Message> BidirectionalCall<Q, R> bidirectional(
            RpcMethod<Q, R> method) {
        return streams.bidirectional(method, node.controller(), true);
    }

    /**
     * {@return a call of a method with many requests and many responses} Returns at once.
     *
     * @param <Q> the requests' class
     * @param <R> the responses' class
     * @param method the method to call
     * @param call the settings of the call, as for {@link #serverStream}
     */
    @Override
    public <Q extends Message, R extends Message> BidirectionalCall<Q, R> bidirectional(
            RpcMethod<Q, R> method, ClientCall call) {
        return streams.bidirectional(method, own(call), false);
    }

    /** {@return a controller for calls on this channel} */
    public ClientController controller() {
        return node.controller();
    }

    /** {@return the options of this channel} */
    public ChannelOptions options() {
        return settings.options();
    }

    private void start(
            MethodDescriptor method,
            byte[] encodedNames,
            ClientController controller,
            Message request,
            Message responsePrototype,
            Consumer<Message> done) {
        controller.method(method);
        if (settings.interceptors().length == 0) {
            send(method, encodedNames, controller, request, responsePrototype, done);
        } else {
            chain(method, encodedNames, controller, responsePrototype, done).proceed(request);
        }
    }

    private ClientChain chain(
            MethodDescriptor method,
            byte[] encodedNames,
            ClientController controller,
            Message responsePrototype,
            Consumer<Message> done) {
        return new ClientChain(
                settings.interceptors(),
                method,
                controller,
                responsePrototype,
                (request, told) ->
                        send(method, encodedNames, controller, request, responsePrototype, told),
                done);
    }

    private void send(
            MethodDescriptor method,
            byte[] encodedNames,
            ClientController controller,
            Message request,
            Message responsePrototype,
            Consumer<Message> done) {
        if (exchangeCalls.isPresent()) {
            exchangeCalls.get().call(method, controller, request, responsePrototype, done);
        } else {
            node.engine()
                    .call(settings, encodedNames, controller, request, responsePrototype, done);
        }
    }

    @SuppressWarnings("unchecked") // the answer is of its prototype's class
    private <R extends Message> R waitFor(
            MethodDescriptor method,
            byte[] encodedNames,
            ClientController controller,
            Message request,
            R responsePrototype) {
        CallWaiter waiter = new CallWaiter(controller);
        controller.method(method);
        if (settings.interceptors().length == 0) {
            send(method, encodedNames, controller, request, responsePrototype, waiter);
            return (R) waiter.await();
        }
        ClientChain chain = chain(method, encodedNames, controller, responsePrototype, waiter);
        chain.proceed(request);
        R response = (R) waiter.await();
        chain.end();
        return response;
    }

    private static void throwIfFailed(Controller controller) {
        if (controller.failed()) {
            throw new RpcException(controller.errorCode(), controller.errorText());
        }
    }

    private static ClientController own(ClientCall call) {
        return switch (call) {
            case ClientController own -> own;
        };
    }

    /** Closes its connections, unless other channels share them. */
    @Override
    public void close() {
        exchangeCalls.ifPresent(ExchangeCalls::close);
        settings.servers().close();
    }
}
