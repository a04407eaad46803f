// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.ServiceException;
import io.verbena.examples.proto.Greeting;
import io.verbena.examples.proto.GreetingService;
import io.verbena.examples.proto.Name;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.Controller;
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
     * @throws ServiceException if the call failed
     */
    public static void main(String[] args) throws ServiceException {
        run(System.out);
    }

    static void run(PrintStream out) throws ServiceException {
        // The node holds what servers and channels share: the device, its memory, threads.
        try (RpcNode node = RpcNode.open();
                Server server = new Server(node).add(new Greeter())) {
            server.start(0, ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            String address = "localhost:" + server.address().getPort();
            ChannelOptions options = ChannelOptions.DEFAULT.withSocketMode(SocketMode.RDMA);
            try (Channel channel = Channel.open(node, address, options);
                    Controller call = channel.controller()) {
                GreetingService.BlockingInterface greetings =
                        GreetingService.newBlockingStub(channel);
                call.requestAttachment().append("bytes that are not copied on the way");
                Greeting greeting =
                        greetings.greet(call, Name.newBuilder().setName("Verbena").build());
                out.println(greeting.getText());
                out.println("attached: " + call.responseAttachment().size() + " bytes");
            }
        }
    }

    /**
     * Each call runs on its own virtual thread, so it may block. A {@code @NonBlocking} method runs
     * on the connection's thread and must not.
     */
    private static final class Greeter extends GreetingService {
        @Override
        public void greet(RpcController controller, Name request, RpcCallback<Greeting> done) {
            Controller call = (Controller) controller;
            call.responseAttachment().append(call.requestAttachment());
            done.run(Greeting.newBuilder().setText("Hello " + request.getName()).build());
        }
    }
}
