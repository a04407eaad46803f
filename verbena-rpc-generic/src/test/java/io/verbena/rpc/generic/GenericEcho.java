// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.BlockingRpcChannel;
import com.google.protobuf.BlockingService;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcChannel;
import com.google.protobuf.RpcController;
import com.google.protobuf.RpcUtil;
import com.google.protobuf.Service;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.generic.test.Echo;
import io.verbena.rpc.generic.test.EchoService;
import io.verbena.rpc.generic.test.Saying;

/**
 * What protoc generates for the echo service with {@code java_generic_services}, by hand: protoc
 * warns about that option.
 */
abstract class GenericEcho implements Service {
    /** The service's methods, for those who answer through a callback. */
    interface Interface {
        void say(RpcController controller, Saying request, RpcCallback<Echo> done);

        void sayInline(RpcController controller, Saying request, RpcCallback<Echo> done);
    }

    /** The service's methods, for those who return their answer. */
    interface BlockingInterface {
        Echo say(RpcController controller, Saying request) throws ServiceException;
    }

    public abstract void say(RpcController controller, Saying request, RpcCallback<Echo> done);

    public abstract void sayInline(
            RpcController controller, Saying request, RpcCallback<Echo> done);

    static ServiceDescriptor descriptor() {
        return EchoService.Methods.SERVICE;
    }

    private static MethodDescriptor method(int index) {
        return descriptor().getMethods().get(index);
    }

    @Override
    public ServiceDescriptor getDescriptorForType() {
        return descriptor();
    }

    @Override
    public void callMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            RpcCallback<Message> done) {
        RpcCallback<Echo> told = RpcUtil.specializeCallback(done);
        switch (method.getIndex()) {
            case 0 -> say(controller, (Saying) request, told);
            case 1 -> sayInline(controller, (Saying) request, told);
            default -> throw new AssertionError(method);
        }
    }

    @Override
    public Message getRequestPrototype(MethodDescriptor method) {
        return Saying.getDefaultInstance();
    }

    @Override
    public Message getResponsePrototype(MethodDescriptor method) {
        return Echo.getDefaultInstance();
    }

    static BlockingService newReflectiveBlockingService(BlockingInterface implementation) {
        return new BlockingService() {
            @Override
            public ServiceDescriptor getDescriptorForType() {
                return descriptor();
            }

            @Override
            public Message callBlockingMethod(
                    MethodDescriptor method, RpcController controller, Message request)
                    throws ServiceException {
                return implementation.say(controller, (Saying) request);
            }

            @Override
            public Message getRequestPrototype(MethodDescriptor method) {
                return Saying.getDefaultInstance();
            }

            @Override
            public Message getResponsePrototype(MethodDescriptor method) {
                return Echo.getDefaultInstance();
            }
        };
    }

    static Interface newStub(RpcChannel channel) {
        return new Stub(channel);
    }

    static BlockingInterface newBlockingStub(BlockingRpcChannel channel) {
        return (controller, request) ->
                (Echo)
                        channel.callBlockingMethod(
                                method(0), controller, request, Echo.getDefaultInstance());
    }

    /** Makes calls that end with a callback. */
    private record Stub(RpcChannel channel) implements Interface {
        @Override
        public void say(RpcController controller, Saying request, RpcCallback<Echo> done) {
            call(0, controller, request, done);
        }

        @Override
        public void sayInline(RpcController controller, Saying request, RpcCallback<Echo> done) {
            call(1, controller, request, done);
        }

        private void call(
                int index, RpcController controller, Saying request, RpcCallback<Echo> done) {
            channel.callMethod(
                    method(index),
                    controller,
                    request,
                    Echo.getDefaultInstance(),
                    RpcUtil.generalizeCallback(done, Echo.class, Echo.getDefaultInstance()));
        }
    }
}
