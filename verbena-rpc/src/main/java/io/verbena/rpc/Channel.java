// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.BlockingRpcChannel;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcChannel;
import com.google.protobuf.RpcController;
import java.util.concurrent.CompletableFuture;

/**
 * Calls the services of one server, or of several equivalent ones; brpc's {@code Channel}. It can
 * be passed directly to the stubs that protobuf generates.
 *
 * <p>Threads: any may call any method. Blocking calls are meant for virtual threads.
 *
 * <p>Failure: a failed call says so in its {@link Controller}. Only blocking calls and futures also
 * throw an {@link RpcException}; a callback gets an empty message.
 */
public final class Channel implements RpcChannel, BlockingRpcChannel, AutoCloseable {
    private final RpcNode node;
    private final CallSettings settings;

    private Channel(RpcNode node, CallSettings settings) {
        this.node = node;
        this.settings = settings;
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
        options.check();
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
        options.check();
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
     *     reached, which does no harm to the channel
     */
    public CompletableFuture<Void> connect() {
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

    /** {@return a controller for calls on this channel} */
    public ClientController controller() {
        return node.controller();
    }

    /** {@return the options of this channel} */
    public ChannelOptions options() {
        return settings.options();
    }

    /**
     * Starts a call and returns.
     *
     * @param method the method to call
     * @param controller from {@link #controller}; belongs to the call until it is done
     * @param request what to send
     * @param responsePrototype an instance of the answer's class
     * @param done called once, on a virtual thread unless the options say otherwise
     */
    @Override
    public void callMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            Message responsePrototype,
            RpcCallback<Message> done) {
        node.engine().call(settings, method, own(controller), request, responsePrototype, done);
    }

    /**
     * Makes a call and waits until it is done. An interrupt cancels the call.
     *
     * @param method the method to call
     * @param controller from {@link #controller}
     * @param request what to send
     * @param responsePrototype an instance of the answer's class
     * @throws RpcException if the call failed
     */
    @Override
    public Message callBlockingMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            Message responsePrototype)
            throws RpcException {
        ClientController own = own(controller);
        CallWaiter waiter = new CallWaiter(own);
        callMethod(method, own, request, responsePrototype, waiter);
        Message result = waiter.await();
        throwIfFailed(own);
        return result;
    }

    /**
     * {@return the answer to a call; fails with an {@link RpcException}} Dependent stages run on a
     * virtual thread unless the options say otherwise.
     *
     * @param <M> the answer's class
     * @param method the method to call
     * @param controller from {@link #controller}
     * @param request what to send
     * @param responsePrototype an instance of the answer's class
     */
    public <M extends Message> CompletableFuture<M> call(
            MethodDescriptor method,
            ClientController controller,
            Message request,
            M responsePrototype) {
        CallFuture<M> future = new CallFuture<>(controller);
        callMethod(method, controller, request, responsePrototype, future);
        return future;
    }

    private static void throwIfFailed(Controller controller) throws RpcException {
        if (controller.failed()) {
            throw new RpcException(controller.errorCode(), controller.errorText());
        }
    }

    private static ClientController own(RpcController controller) {
        if (controller instanceof ClientController own) {
            return own;
        }
        throw new IllegalArgumentException(
                "controller: " + controller + " (expected: one from Channel.controller())");
    }

    /** Closes its connections, unless other channels share them. */
    @Override
    public void close() {
        settings.servers().close();
    }
}
