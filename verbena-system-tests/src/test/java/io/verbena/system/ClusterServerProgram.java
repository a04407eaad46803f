// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.rpc.Call;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import io.verbena.transport.SocketMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;

/**
 * An echo server that announces itself. It reads how slow it has to be, in milliseconds, from its
 * standard input; when that ends, it leaves the registry and stops.
 */
public final class ClusterServerProgram implements EchoService {
    /** What it prints in front of its port. */
    static final String LISTENING = "listening on port ";

    /**
     * Clients of registries that tell hear within that time who has left; those that have to ask
     * learn it by a refused connection.
     */
    private static final Duration NOTICE = Duration.ofMillis(500);

    private static final Duration LIMIT = Duration.ofSeconds(1);

    private volatile int delayMs;

    private ClusterServerProgram() {}

    /**
     * Serves until its standard input ends.
     *
     * @param args the port, and the names in registries that it is announced under
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        ClusterServerProgram service = new ClusterServerProgram();
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        try (RpcNode node = LocalNode.open(SocketMode.TCP, new Properties());
                Server server = new Server(node).add(service)) {
            server.start(address, ServerOptions.DEFAULT);
            for (int i = 1; i < args.length; i++) {
                server.announce(args[i], "");
            }
            System.out.println(LISTENING + server.address().getPort());
            service.obey();
            server.drain(NOTICE, LIMIT);
        }
    }

    private void obey() throws IOException {
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            delayMs = Integer.parseInt(line);
        }
    }

    @Override
    public EchoResponse echo(Call call, EchoRequest request) {
        SteadyLoad.pauseMs(delayMs);
        return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
    }
}
