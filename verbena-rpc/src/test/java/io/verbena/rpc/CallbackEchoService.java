// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.server.MethodHandler;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import java.util.function.Consumer;

/** The echo service, answered by a callback, so that a test decides when and how often. */
abstract class CallbackEchoService implements RpcService {
    /** Runs a method. */
    private interface Method {
        void run(ServerController controller, EchoRequest request, Consumer<EchoResponse> done);
    }

    public abstract void echo(
            ServerController controller, EchoRequest request, Consumer<EchoResponse> done);

    public abstract void echoInline(
            ServerController controller, EchoRequest request, Consumer<EchoResponse> done);

    @Override
    public ServiceDefinition definition() {
        ServiceDefinition.Builder builder = ServiceDefinition.of(EchoService.Methods.SERVICE, this);
        add(builder, EchoService.Methods.ECHO, this::echo);
        add(builder, EchoService.Methods.ECHO_INLINE, this::echoInline);
        return builder.build();
    }

    private static void add(
            ServiceDefinition.Builder builder, RpcMethod<EchoRequest, ?> method, Method runs) {
        MethodHandler handler =
                (call, request) -> {
                    IncomingCall incoming = Handlers.own(call);
                    runs.run(incoming, (EchoRequest) request, incoming::run);
                };
        builder.add(method.descriptor(), method.requestPrototype(), handler);
    }
}
