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
 * A way to call the services of a server, or of several that do the same; brpc's {@code Channel}.
 * Stubs that protobuf generates take it as it is.
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
     * @param node what it uses
     * @param address {@code host:port}
     * @param options its settings
     * @throws IllegalArgumentException if the address is none, or options exclude each other
     */
    public static Channel open(RpcNode node, String address, ChannelOptions options) {
        options.check();
        return new Channel(node, new CallSettings(options, node.singleServer(address, options)));
    }

    /**
     * {@return a channel to several servers that do the same} Nothing is connected before the first
     * call.
     *
     * @param node what it uses
     * @param url of a registry, such as {@code list://a:8002,b:8002}
     * @param balancer how to choose among the servers, such as {@code rr} or {@code random}
     * @param options its settings
     * @throws IllegalArgumentException if registry or balancer is not known, or options exclude
     *     each other
     */
    public static Channel open(RpcNode node, String url, String balancer, ChannelOptions options) {
        options.check();
        if (balancer.isEmpty() && !Plugins.isUrl(url)) {
            return open(node, url, options);
        }
        return new Channel(
                node, new CallSettings(options, node.balancedServers(url, balancer, options)));
    }

    /** {@return a controller for calls of this channel} */
    public ClientController controller() {
        return node.controller();
    }

    /** {@return its settings} */
    public ChannelOptions options() {
        return settings.options();
    }

    /**
     * Makes a call and returns.
     *
     * @param method which
     * @param controller from {@link #controller}; belongs to the call until it is done
     * @param request what to send
     * @param responsePrototype of the answer's class
     * @param done told once, on a virtual thread unless the options say otherwise
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
     * Makes a call and waits for its end. An interrupt cancels the call.
     *
     * @param method which
     * @param controller from {@link #controller}
     * @param request what to send
     * @param responsePrototype of the answer's class
     * @throws RpcException if the call failed
     */
    @Override
    public Message callBlockingMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            Message responsePrototype)
            throws RpcException {
        CallWaiter waiter = new CallWaiter();
        callMethod(method, controller, request, responsePrototype, waiter);
        Message result = waiter.await((Controller) controller);
        throwIfFailed((Controller) controller);
        return result;
    }

    /**
     * {@return the answer to a call; fails with an {@link RpcException}} What depends on it runs on
     * a virtual thread unless the options say otherwise.
     *
     * @param <M> the answer's class
     * @param method which
     * @param controller from {@link #controller}
     * @param request what to send
     * @param responsePrototype of the answer's class
     */
    public <M extends Message> CompletableFuture<M> call(
            MethodDescriptor method,
            ClientController controller,
            Message request,
            M responsePrototype) {
        CompletableFuture<M> future = new CompletableFuture<>();
        callMethod(
                method,
                controller,
                request,
                responsePrototype,
                result -> complete(future, controller, result));
        return future;
    }

    @SuppressWarnings("unchecked") // the answer is of its prototype's class
    private static <M extends Message> void complete(
            CompletableFuture<M> future, Controller controller, Message result) {
        if (controller.failed()) {
            future.completeExceptionally(
                    new RpcException(controller.errorCode(), controller.errorText()));
        } else {
            future.complete((M) result);
        }
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
                "controller: " + controller + " (expected: one of Channel.controller())");
    }

    /** Gives up its connections, unless other channels share them. */
    @Override
    public void close() {
        settings.servers().close();
    }
}
