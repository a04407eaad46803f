// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.examples.proto.Greeting;
import io.verbena.examples.proto.GreetingService;
import io.verbena.examples.proto.GreetingServiceClient;
import io.verbena.examples.proto.Name;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.time.Duration;
import java.util.Properties;

/** A server that announces itself in a registry, and a channel that finds it there. */
public final class RegisteredCall {
    private RegisteredCall() {}

    /**
     * Needs the module of the registry on its path.
     *
     * @param args the name in a registry, such as {@code zk://localhost:2181/greeting}
     * @throws InterruptedException if this thread was interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        String url = args[0];
        GreetingService greeter =
                (_, name) -> Greeting.newBuilder().setText("Hello " + name.getName()).build();
        try (RpcNode node = RpcNode.open(SocketMode.TCP, new Properties());
                Server server = new Server(node).add(greeter)) {
            server.start(0, ServerOptions.DEFAULT);
            // The tag is for balancers: this server gets twice as many calls as one without a tag.
            server.announce(url, "zone=a w=2");
            try (Channel channel = Channel.open(node, url, "rr", ChannelOptions.DEFAULT)) {
                GreetingServiceClient greetings = new GreetingServiceClient(channel);
                Greeting greeting = greetings.greet(Name.newBuilder().setName("Verbena").build());
                System.out.println(greeting.getText());
            }
            // Leaves the registry, serves those who have not heard of it for a while, then stops.
            server.drain(Duration.ofMillis(100), Duration.ofSeconds(5));
        }
    }
}
