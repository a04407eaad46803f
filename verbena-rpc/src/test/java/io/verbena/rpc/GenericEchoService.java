// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.RpcUtil;
import com.google.protobuf.Service;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;

/** What protoc generated for the echo service when it still generated services. */
abstract class GenericEchoService implements Service {
    public abstract void echo(
            RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done);

    public abstract void echoInline(
            RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done);

    @Override
    public ServiceDescriptor getDescriptorForType() {
        return EchoService.Methods.SERVICE;
    }

    @Override
    public void callMethod(
            MethodDescriptor method,
            RpcController controller,
            Message request,
            RpcCallback<Message> done) {
        RpcCallback<EchoResponse> told = RpcUtil.specializeCallback(done);
        switch (method.getIndex()) {
            case 0 -> echo(controller, (EchoRequest) request, told);
            case 1 -> echoInline(controller, (EchoRequest) request, told);
            default -> throw new AssertionError(method);
        }
    }

    @Override
    public Message getRequestPrototype(MethodDescriptor method) {
        return EchoRequest.getDefaultInstance();
    }

    @Override
    public Message getResponsePrototype(MethodDescriptor method) {
        return EchoResponse.getDefaultInstance();
    }
}
