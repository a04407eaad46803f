// SPDX-License-Identifier: Apache-2.0
package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sample.proto.GreetingServiceClient;
import sample.proto.Name;

class GreeterTest {
    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldGreet(SocketMode mode) {
        Properties flags = new Properties();
        flags.setProperty("rdma_device", "soft0");
        flags.setProperty("rdma_memory_pool_initial_size_mb", "64");
        try (RpcNode node = RpcNode.open(mode, flags);
                Server server = new Server(node).add(new Greeter())) {
            server.start(0, ServerOptions.DEFAULT.withSocketMode(mode));
            ChannelOptions options =
                    ChannelOptions.DEFAULT
                            .withSocketMode(mode)
                            .withConnectTimeoutMs(10_000)
                            .withTimeoutMs(20_000);
            String address = "127.0.0.1:" + server.address().getPort();
            try (Channel channel = Channel.open(node, address, options)) {
                GreetingServiceClient greetings = new GreetingServiceClient(channel);

                Name name = Name.newBuilder().setName("sample").build();
                assertEquals("Hello sample", greetings.greet(name).getText());
                assertEquals("Hello sample", greetings.greetAsync(name).join().getText());
                RpcException refused =
                        assertThrows(
                                RpcException.class,
                                () -> greetings.greet(Name.getDefaultInstance()));
                assertEquals(RpcError.EINVAL.code(), refused.code());
            }
        }
    }
}
