// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples.tutorial;

import io.verbena.examples.proto.Greeting;
import io.verbena.examples.proto.GreetingService;
import io.verbena.examples.proto.GreetingServiceClient;
import io.verbena.examples.proto.Name;
import io.verbena.memory.BlockPoolStatistics;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.SocketMode;
import java.io.PrintStream;

/** Chapter 5: what a call of a mebibyte does to the memory pool and to the window. */
public final class WindowAndPool {
    private static final int MEBIBYTE = 1 << 20;

    private WindowAndPool() {}

    /**
     * Runs on the device that the flag {@code rdma_device} names, or on any.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        run(System.out);
    }

    static void run(PrintStream out) {
        try (RpcNode node = RpcNode.open();
                Server server = new Server(node).add(new Counter())) {
            server.start(0, ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            ChannelOptions options =
                    ChannelOptions.DEFAULT
                            .withSocketMode(SocketMode.RDMA)
                            .withTimeoutMs(20_000)
                            .withConnectTimeoutMs(20_000);
            String address = "localhost:" + server.address().getPort();
            try (Channel channel = Channel.open(node, address, options)) {
                channel.connect().join();
                out.println("connected: " + pool(node));
                call(out, node, channel);
                Connection connection = server.connections().iterator().next();
                print(out, connection.statistics());
            }
        }
    }

    private static void call(PrintStream out, RpcNode node, Channel channel) {
        try (ClientCall call = channel.newCall()) {
            call.requestAttachment().append(new byte[MEBIBYTE]);
            out.println("with an attachment: " + pool(node));
            GreetingServiceClient greetings = new GreetingServiceClient(channel);
            out.println(greetings.greet(Name.getDefaultInstance(), call).getText());
        }
        out.println("answered: " + pool(node));
    }

    private static void print(PrintStream out, ConnectionStatistics server) {
        out.println("window: " + server.localWindowCapacity() + " messages");
        out.println(
                "the server received "
                        + server.receivedMessages()
                        + " messages and sent "
                        + server.sentAcknowledgements()
                        + " pure acknowledgements");
    }

    private static String pool(RpcNode node) {
        BlockPoolStatistics.Type blocks = node.pool().statistics().types().getFirst();
        return blocks.used() + " of " + blocks.total() + " blocks of 8 KiB in use";
    }

    /** Says how much it received. */
    private static final class Counter implements GreetingService {
        @Override
        public Greeting greet(Call call, Name name) {
            return Greeting.newBuilder()
                    .setText("the service has " + call.requestAttachment().size() + " bytes")
                    .build();
        }
    }
}
