// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import java.util.concurrent.CompletableFuture;

/** Calls of the echo service, for tests. */
final class EchoCalls {
    static final RpcMethod<EchoRequest, EchoResponse> ECHO = EchoService.Methods.ECHO;
    static final RpcMethod<EchoRequest, EchoResponse> INLINE = EchoService.Methods.ECHO_INLINE;

    private EchoCalls() {}

    static EchoRequest request(String message) {
        return EchoRequest.newBuilder().setMessage(message).build();
    }

    /** {@return the answer; empty if the call failed, as the controller says} */
    static String echo(Channel channel, ClientController controller, String message) {
        return echo(channel, controller, request(message));
    }

    static String echo(Channel channel, ClientController controller, EchoRequest request) {
        try {
            return channel.call(ECHO, request, controller).getMessage();
        } catch (RpcException e) {
            return "";
        }
    }

    static CompletableFuture<EchoResponse> start(
            Channel channel, ClientController controller, EchoRequest request) {
        return channel.callAsync(ECHO, request, controller);
    }
}
