// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import java.util.concurrent.CompletableFuture;

/** Calls of the echo service, for tests. */
final class EchoCalls {
    static final MethodDescriptor ECHO = EchoService.Methods.ECHO.descriptor();
    static final MethodDescriptor INLINE = EchoService.Methods.ECHO_INLINE.descriptor();

    private EchoCalls() {}

    static EchoRequest request(String message) {
        return EchoRequest.newBuilder().setMessage(message).build();
    }

    /** {@return the answer; empty if the call failed, as the controller says} */
    static String echo(Channel channel, Controller controller, String message) {
        return echo(channel, controller, request(message));
    }

    static String echo(Channel channel, Controller controller, EchoRequest request) {
        try {
            return ((EchoResponse)
                            channel.callBlockingMethod(
                                    ECHO, controller, request, EchoResponse.getDefaultInstance()))
                    .getMessage();
        } catch (ServiceException e) {
            return "";
        }
    }

    static CompletableFuture<EchoResponse> start(
            Channel channel, ClientController controller, EchoRequest request) {
        return channel.call(ECHO, controller, request, EchoResponse.getDefaultInstance());
    }
}
