// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.testing.Eventually;
import io.verbena.tools.LocalNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that gets more connections than it has file descriptors for. */
final class ExhaustedDescriptorsTest {
    private static final int LIMIT = 256;
    private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

    private static boolean answers(Channel channel) {
        try {
            EchoRequest request = EchoRequest.newBuilder().setMessage("there?").build();
            return new EchoServiceClient(channel).echo(request).getMessage().equals("there?");
        } catch (RpcException e) {
            return false;
        }
    }

    private static List<String> complaints(RunningProgram server) {
        return server.lines().stream().filter(line -> line.contains("ulimit -n")).toList();
    }

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldSayWhatIsMissingAndServeAgain(SocketMode mode) throws Exception {
        assumeTrue(Files.isExecutable(PRLIMIT), "needs prlimit");
        ChannelOptions options =
                ChannelOptions.DEFAULT.withSocketMode(mode).withTimeoutMs(2000).withMaxRetry(0);
        List<Socket> sockets = new ArrayList<>();
        try (RunningProgram server =
                        RunningProgram.startWith(
                                List.of(PRLIMIT.toString(), "--nofile=" + LIMIT),
                                "echo",
                                "server",
                                "--port=0",
                                "--socket-mode=" + mode.name().toLowerCase(Locale.ROOT));
                RpcNode node = LocalNode.open(mode, new Properties())) {
            int port = server.awaitListeningPort();
            try (Channel early =
                    Channel.open(node, "127.0.0.1:" + port, options.withTimeoutMs(20_000))) {
                Eventually.become(() -> answers(early), server::lines);
                for (int i = 0; i < LIMIT + 10; i++) {
                    sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
                Eventually.become(() -> !complaints(server).isEmpty(), server::lines);

                // who is connected is served meanwhile
                assertThat(answers(early)).isTrue();

                for (Socket socket : sockets) {
                    socket.close();
                }
                try (Channel late = Channel.open(node, "127.0.0.1:" + port, options)) {
                    Eventually.become(() -> answers(late), server::lines);
                }
                assertThat(complaints(server))
                        .hasSizeLessThanOrEqualTo(2)
                        .first()
                        .asString()
                        .contains("cannot accept connections", "Too many open files", "" + LIMIT);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
