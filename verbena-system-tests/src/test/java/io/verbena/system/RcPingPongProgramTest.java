// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The two processes of {@code rc-pingpong}, and how each handles something that is not a proper
 * peer.
 */
final class RcPingPongProgramTest {
    private static final String ADDRESS =
            "LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID [0-9a-f:.]+";

    /** An address that belongs to nobody, sent by a wrong peer in the right format. */
    private static final String NOBODY = "0000:000001:000002:" + "ab".repeat(16) + "\0";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-s 1 -n 1 -c",
                "-s 1 -n 3 -r 1",
                "-s 4096 -n 1000",
                "-s 5000 -n 20 -c -m 256",
                "-s 4097 -n 600 -c -e",
                "-s 1000000 -n 7 -c -m 4096 -r 2",
                "--size=100 --iters=10 --rx-depth=3 --mtu=512 --ib-port=1 --gid-idx=0 --sl=0"
                        + " --events --chk --ib-dev=soft0",
            })
    void shouldSendMessagesBackAndForth(String options) throws InterruptedException {
        String[] words = options.split(" ");
        try (RunningProgram server = server(words);
                RunningProgram client = client(awaitPort(server), words)) {
            assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
            assertThat(server.awaitExit()).as("%s", server.lines()).isZero();

            List<String> printed = server.lines().subList(1, server.lines().size());
            assertReport(client.lines());
            assertReport(printed);
            assertThat(client.lines().get(1).substring(18))
                    .isEqualTo(printed.getFirst().substring(18));
            assertThat(client.lines().getFirst().substring(18))
                    .isEqualTo(printed.get(1).substring(18));
        }
    }

    private static void assertReport(List<String> lines) {
        assertThat(lines).hasSize(4);
        assertThat(lines.getFirst()).matches("  local address:  " + ADDRESS);
        assertThat(lines.get(1)).matches("  remote address: " + ADDRESS);
        assertThat(lines.get(2)).matches("\\d+ bytes in \\d+\\.\\d\\d seconds = [0-9.]+ Mbit/sec");
        assertThat(lines.get(3)).matches("\\d+ iters in \\d+\\.\\d\\d seconds = [0-9.]+ usec/iter");
    }

    @Test
    void shouldCountTheBytesOfBothDirections() throws InterruptedException {
        try (RunningProgram server = server("-s", "300", "-n", "5");
                RunningProgram client = client(awaitPort(server), "-s", "300", "-n", "5")) {
            assertThat(client.awaitExit()).isZero();

            assertThat(client.lines().get(2)).startsWith("3000 bytes in ");
            assertThat(client.lines().get(3)).startsWith("5 iters in ");
        }
    }

    @Test
    void shouldFindThatTheClientDoesNotMarkItsPages() throws InterruptedException {
        try (RunningProgram server = server("-s", "8193", "-n", "2", "-c");
                RunningProgram client = client(awaitPort(server), "-s", "8193", "-n", "2")) {
            assertThat(client.awaitExit()).isZero();
            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines())
                    .contains(
                            "invalid data in page 0",
                            "invalid data in page 1",
                            "invalid data in page 2",
                            "verbena: invalid data in 3 pages; did the client run with -c?");
        }
    }

    @Test
    void shouldRefuseMessagesOfAnotherSize() throws InterruptedException {
        try (RunningProgram server = server("-s", "100");
                RunningProgram client = client(awaitPort(server), "-s", "50", "--timeout", "2")) {
            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines())
                    .contains(
                            "verbena: length of message 1: 50"
                                    + " (expected: 100; has the peer the same -s?)");
            assertThat(client.awaitExit()).as("%s", client.lines()).isEqualTo(1);
        }
    }

    @Test
    void shouldFailWhenTheClientStopsTooEarly() throws InterruptedException {
        try (RunningProgram server = server("-n", "10", "--timeout", "5");
                RunningProgram client = client(awaitPort(server), "-n", "5")) {
            assertThat(client.awaitExit()).isZero();
            assertThat(server.awaitExit()).isEqualTo(1);
            // The software device knows that its peer has ended; other devices do not.
            assertThat(server.lines())
                    .last()
                    .asString()
                    .matches(
                            "verbena: (Failed status WORK_REQUEST_FLUSHED \\(5\\) for wr_id 1; the"
                                    + " peer is gone|nothing for 5 s after 5 of 10 messages.*)");
        }
    }

    @Test
    void shouldNotWaitForEverForAMessage() throws IOException, InterruptedException {
        // A second server has an address that a queue pair can be connected to, and sends nothing.
        try (RunningProgram other = server();
                RunningProgram server = server("--timeout", "5")) {
            awaitPort(other);
            String address = wireText(other.awaitLine("  local address:  "));
            try (Socket socket = connect(awaitPort(server))) {
                socket.getOutputStream().write(address.getBytes(StandardCharsets.US_ASCII));
                socket.getInputStream().readNBytes(52);
                socket.getOutputStream().write("done\0".getBytes(StandardCharsets.US_ASCII));

                assertThat(server.awaitExit()).isEqualTo(1);
                assertThat(server.lines())
                        .last()
                        .asString()
                        .startsWith("verbena: nothing for 5 s after 0 of 1000 messages");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "|the peer's address: 0 of 52 bytes, then the peer closed the connection",
                "0000:0000|the peer's address: 9 of 52 bytes, then the peer closed",
                "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: everything there is\r\n\r\n"
                        + "|the peer's address: 'GET / HTTP/1.1??Host: ",
                "0000:000001:00000g:abababababababababababababababab\0|the peer's address: '0000:",
                "0000:000001:000002:00000000000000000000000000000000\0"
                        + "|the peer's address: LID 0 and GID ::",
                "0000:000001:000002:abababababababababababababababab\0|ibv_modify_qp failed: ",
            })
    void shouldRefuseAClientThatIsNone(String textAndMessage)
            throws IOException, InterruptedException {
        String[] parts = textAndMessage.split("\\|", 2);
        try (RunningProgram server = server();
                Socket socket = connect(awaitPort(server))) {
            socket.getOutputStream().write(parts[0].getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();

            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines()).last().asString().startsWith("verbena: " + parts[1]);
        }
    }

    @Test
    void shouldNotWaitForEverForAClientThatSaysNothing() throws IOException, InterruptedException {
        try (RunningProgram server = server("--timeout", "1");
                Socket _ = connect(awaitPort(server))) {
            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines())
                    .last()
                    .isEqualTo(
                            "verbena: the peer's address: 0 of 52 bytes,"
                                    + " then nothing more within 1 s");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"done!", "DONE\0", "\0\0\0\0\0"})
    void shouldRefuseAClientThatDoesNotSayDone(String word)
            throws IOException, InterruptedException {
        // A second server has an address that a queue pair can be connected to.
        try (RunningProgram other = server();
                RunningProgram server = server();
                Socket socket = connect(awaitPort(server))) {
            awaitPort(other);
            String address = wireText(other.awaitLine("  local address:  "));
            socket.getOutputStream().write(address.getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(52);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(answer, StandardCharsets.US_ASCII))
                    .isEqualTo(wireText(server.awaitLine("  local address:  ")));
            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines())
                    .last()
                    .asString()
                    .startsWith("verbena: the peer's last word: [")
                    .endsWith("(expected: [100, 111, 110, 101, 0], 'done' and a NUL)");
        }
    }

    /** The fields of a printed address in the form in which they travel. */
    private static String wireText(String printed) {
        String[] words = printed.replaceAll("LID 0x|QPN 0x|PSN 0x|GID ", "").split(", ", -1);
        String gid =
                Stream.of(words[3].split(":", -1))
                        .map(group -> "0".repeat(4 - group.length()) + group)
                        .reduce("", String::concat);
        return words[0] + ":" + words[1] + ":" + words[2] + ":" + gid + "\0";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "|the peer's address: 0 of 52 bytes, then the peer closed the connection",
                "nonsense of the right length, to be taken for none..|the peer's address: 'nons",
            })
    void shouldRefuseAServerThatIsNone(String textAndMessage)
            throws IOException, InterruptedException {
        String[] parts = textAndMessage.split("\\|", 2);
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RunningProgram client = client(socket.getLocalPort())) {
            try (Socket accepted = socket.accept()) {
                InputStream in = accepted.getInputStream();
                String address = new String(in.readNBytes(52), StandardCharsets.US_ASCII);
                assertThat(address).isEqualTo(wireText(client.awaitLine("  local address:  ")));
                accepted.getOutputStream().write(parts[0].getBytes(StandardCharsets.US_ASCII));
            }

            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines()).last().asString().startsWith("verbena: " + parts[1]);
        }
    }

    @Test
    void shouldSayThatTheServerIsNoDevice() throws IOException, InterruptedException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RunningProgram client = client(socket.getLocalPort());
                Socket accepted = socket.accept()) {
            accepted.getInputStream().readNBytes(52);
            accepted.getOutputStream().write(NOBODY.getBytes(StandardCharsets.US_ASCII));

            assertThat(accepted.getInputStream().readNBytes(5))
                    .isEqualTo("done\0".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines())
                    .last()
                    .asString()
                    .startsWith("verbena: ibv_modify_qp failed: ");
        }
    }

    @Test
    void shouldSayThatNobodyListens() throws IOException, InterruptedException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (RunningProgram client = client(port)) {
            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines())
                    .last()
                    .isEqualTo("verbena: nobody listens at localhost:" + port);
        }
    }

    @Test
    void shouldSayThatThePortIsTaken() throws IOException, InterruptedException {
        try (ServerSocket socket = new ServerSocket(0)) {
            String port = Integer.toString(socket.getLocalPort());
            try (RunningProgram server = RunningProgram.start("rc-pingpong", "-p", port)) {
                assertThat(server.awaitExit()).isEqualTo(1);
                assertThat(server.lines())
                        .containsExactly(
                                "verbena: Couldn't listen to port "
                                        + port
                                        + ": Address already in use");
            }
        }
    }

    private static Socket connect(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private static int awaitPort(RunningProgram server) throws InterruptedException {
        return Integer.parseInt(server.awaitLine("listening on port "));
    }

    private static RunningProgram server(String... options) {
        return RunningProgram.start(join(options, "rc-pingpong", "-p", "0"));
    }

    private static RunningProgram client(int port, String... options) {
        return RunningProgram.start(
                join(options, "rc-pingpong", "localhost", "-p", Integer.toString(port)));
    }

    private static String[] join(String[] options, String... command) {
        return Stream.of(command, options).flatMap(Arrays::stream).toArray(String[]::new);
    }
}
