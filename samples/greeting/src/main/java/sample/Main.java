// SPDX-License-Identifier: Apache-2.0
package sample;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import sample.proto.GreetingServiceClient;
import sample.proto.Name;

/** The service and a client of it, as programs. */
public final class Main {
    private Main() {}

    /**
     * Serves until it is interrupted, or makes one call.
     *
     * @param args {@code server PORT}, or {@code client HOST:PORT NAME}
     * @throws InterruptedException never: nobody interrupts the main thread
     */
    public static void main(String[] args) throws InterruptedException {
        if (args.length == 2 && args[0].equals("server")) {
            serve(Integer.parseInt(args[1]));
        } else if (args.length == 3 && args[0].equals("client")) {
            call(args[1], args[2]);
        } else {
            System.err.println("usage: server PORT, or client HOST:PORT NAME");
            System.exit(2);
        }
    }

    private static void serve(int port) throws InterruptedException {
        try (RpcNode node = RpcNode.open();
                Server server = new Server(node).add(new Greeter())) {
            server.start(port, ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            System.out.println("listening on port " + server.address().getPort());
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "close-server"));
            server.join();
        }
    }

    private static void call(String address, String name) {
        ChannelOptions options = ChannelOptions.DEFAULT.withSocketMode(SocketMode.RDMA);
        try (RpcNode node = RpcNode.open();
                Channel channel = Channel.open(node, address, options)) {
            GreetingServiceClient greetings = new GreetingServiceClient(channel);
            System.out.println(greetings.greet(Name.newBuilder().setName(name).build()).getText());
        }
    }
}
