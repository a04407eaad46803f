// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.time.Duration;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * An echo server in a process of its own, for at most five calls at a time. It prints its port, and
 * ends with its input. It never answers "silence".
 */
final class EchoServerProgram {
    static final String SILENCE = "silence";

    private EchoServerProgram() {}

    /** Runs it; the arguments are its {@link SocketMode}, and flags as {@code name=value}. */
    static void main(String[] arguments) throws IOException {
        SocketMode mode = SocketMode.valueOf(arguments[0]);
        try (RpcNode node = RpcNode.open(mode, flags("soft0", arguments));
                Server server = new Server(node).add(new Service())) {
            server.start(
                    RpcFixture.anyPort(),
                    ServerOptions.DEFAULT.withSocketMode(mode).withMaxConcurrency(5));
            System.out.println(server.address().getPort());
            while (System.in.read() >= 0) {
                // until the end
            }
            server.close(Duration.ofMillis(100));
        }
    }

    /** {@return the flags that follow the first argument, and the device} */
    static Properties flags(String device, String... arguments) {
        Properties flags = new Properties();
        flags.setProperty("rdma_device", device);
        for (int i = 1; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            flags.setProperty(
                    arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        return flags;
    }

    private static final class Service extends EchoServices.Echo {
        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            if (!request.getMessage().equals(SILENCE)) {
                super.echo(controller, request, done);
            }
        }

        @Override
        @NonBlocking
        public void echoInline(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            super.echoInline(controller, request, done);
        }
    }
}
