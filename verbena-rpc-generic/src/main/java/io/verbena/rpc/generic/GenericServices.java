// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.BlockingService;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcController;
import com.google.protobuf.Service;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.Call;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMethod;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.ServiceDefinition;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Makes services of protobuf's generated code ones that a server runs. Their controller is a {@link
 * GenericServerController}. Methods with streams are left out: generic code has no form for them.
 *
 * <p>{@link io.verbena.rpc.NonBlocking} counts on the class and the methods that implement a {@link
 * Service} or {@link BlockingService} themselves. What {@code newReflectiveService} returns hides
 * them.
 */
public final class GenericServices {
    private GenericServices() {}

    /**
     * {@return a service that answers through its callback, for {@code Server.add}}
     *
     * @param service the implementation
     */
    public static RpcService of(Service service) {
        ServiceDescriptor descriptor = service.getDescriptorForType();
        ServiceDefinition.Builder builder = ServiceDefinition.of(descriptor, service);
        forEachUnary(
                descriptor,
                method ->
                        builder.completing(
                                RpcMethod.of(
                                        method,
                                        service.getRequestPrototype(method),
                                        service.getResponsePrototype(method)),
                                (call, request, answer) ->
                                        run(service, method, call, request, answer)));
        return builder.build();
    }

    /**
     * {@return a service that returns its answers, for {@code Server.add}}
     *
     * @param service the implementation
     */
    public static RpcService of(BlockingService service) {
        ServiceDescriptor descriptor = service.getDescriptorForType();
        ServiceDefinition.Builder builder = ServiceDefinition.of(descriptor, service);
        forEachUnary(
                descriptor,
                method ->
                        builder.unary(
                                RpcMethod.of(
                                        method,
                                        service.getRequestPrototype(method),
                                        service.getResponsePrototype(method)),
                                (call, request) -> answer(service, method, call, request)));
        return builder.build();
    }

    private static void forEachUnary(ServiceDescriptor service, Consumer<MethodDescriptor> action) {
        service.getMethods().stream()
                .filter(method -> !method.isClientStreaming() && !method.isServerStreaming())
                .forEach(action);
    }

    private static void run(
            Service service,
            MethodDescriptor method,
            Call call,
            Message request,
            CompletableFuture<Message> answer) {
        GenericServerController controller = new GenericServerController(call);
        service.callMethod(
                method, controller, request, new GenericAnswer(method, controller, answer));
    }

    private static Message answer(
            BlockingService service, MethodDescriptor method, Call call, Message request) {
        GenericServerController controller = new GenericServerController(call);
        try {
            Message response = service.callBlockingMethod(method, controller, request);
            controller.throwIfFailed();
            return GenericAnswer.check(method, response);
        } catch (ServiceException e) {
            throw failure(controller, e);
        }
    }

    /** What the service said through its controller is more exact than what it throws. */
    private static RpcException failure(GenericServerController controller, ServiceException e) {
        controller.throwIfFailed();
        return e.getCause() instanceof RpcException cause
                ? cause
                : new RpcException(RpcError.EINTERNAL, e.getMessage());
    }

    /**
     * {@return everything about a call except its messages}
     *
     * @param controller what the service got
     * @throws IllegalArgumentException if it is not a controller of such a call
     */
    public static Call call(RpcController controller) {
        if (controller instanceof GenericServerController own) {
            return own.call();
        }
        throw new IllegalArgumentException(
                "controller: " + controller + " (expected: the one that a service got)");
    }
}
