// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.examples.proto.Greeting;
import io.verbena.examples.proto.GreetingService;
import io.verbena.examples.proto.GreetingServiceClient;
import io.verbena.examples.proto.Name;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.io.PrintStream;

/** A server and a channel in one process: a call over RDMA, with bytes next to the message. */
public final class FirstCall {
    private FirstCall() {}

    /**
     * Runs on the device that the flag {@code rdma_device} names, or on any.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        run(System.out);
    }

    static void run(PrintStream out) {
        // The node holds what servers and channels share: the device, its memory, threads.
        try (RpcNode node = RpcNode.open();
                Server server = new Server(node).add(new Greeter())) {
            server.start(0, ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            String address = "localhost:" + server.address().getPort();
            ChannelOptions options = ChannelOptions.DEFAULT.withSocketMode(SocketMode.RDMA);
            try (Channel channel = Channel.open(node, address, options);
                    ClientCall call = channel.newCall()) {
                GreetingServiceClient greetings = new GreetingServiceClient(channel);
                call.requestAttachment().append("bytes that are not copied on the way");
                Greeting greeting =
                        greetings.greet(Name.newBuilder().setName("Verbena").build(), call);
                out.println(greeting.getText());
                out.println("attached: " + call.responseAttachment().size() + " bytes");
            }
        }
    }

    /**
     * A service may block. Quick ones run on the thread that read the request, others on virtual
     * threads. A {@code @NonBlocking} method always runs on the former and must not block.
     */
    private static final class Greeter implements GreetingService {
        @Override
        public Greeting greet(Call call, Name name) {
            call.responseAttachment().append(call.requestAttachment());
            return Greeting.newBuilder().setText("Hello " + name.getName()).build();
        }
    }
}
