// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Program;
import io.verbena.testing.RunningProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code verbena rc-pingpong} and {@code ibv_rc_pingpong}, each as the other's client. */
@InLab
final class RcPingPongInteropTest {
    private static final int PORT = 18515;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-s 1 -n 1",
                "-s 5000 -n 20 -m 256 -c",
                "-s 65536 -n 10 -m 4096 -r 3 -e -c",
            })
    void shouldServeTheCClient(String options) throws IOException, InterruptedException {
        try (Program server = ours(options)) {
            server.awaitLine("  local address:  ");
            try (Program client = theirs(options, "localhost")) {
                assertExchange(server, client, options);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-s 1 -n 1",
                "-s 5000 -n 20 -m 256 -c",
                "-s 65536 -n 10 -m 4096 -r 3 -e -c",
            })
    void shouldBeTheCServersClient(String options) throws IOException, InterruptedException {
        try (RunningProcess server = theirs(options)) {
            CPrograms.awaitTcpListener(server, PORT);
            try (Program client = ours(options, "localhost")) {
                assertExchange(server, client, options);
            }
        }
    }

    @Test
    void shouldFindThatTheCClientDoesNotMarkItsPages() throws IOException, InterruptedException {
        try (Program server = ours("-s 5000 -n 2 -c")) {
            server.awaitLine("  local address:  ");
            try (Program client = theirs("-s 5000 -n 2", "localhost")) {
                assertThat(client.awaitExit()).as("%s", client).isZero();
                assertThat(server.awaitExit()).as("%s", server).isEqualTo(1);
                assertThat(server.lines())
                        .contains("invalid data in page 0", "invalid data in page 1");
            }
        }
    }

    private static void assertExchange(Program server, Program client, String options)
            throws IOException, InterruptedException {
        assertThat(client.awaitExit()).as("%s", client).isZero();
        assertThat(server.awaitExit()).as("%s", server).isZero();
        assertReport(client.lines(), options);
        assertReport(server.lines(), options);
        // Each prints about the other what the other prints about itself.
        assertThat(address(client, "remote")).isEqualTo(address(server, "local"));
        assertThat(address(server, "remote")).isEqualTo(address(client, "local"));
    }

    private static void assertReport(List<String> lines, String options) {
        List<String> words = Arrays.asList(options.split(" "));
        long size = Long.parseLong(words.get(words.indexOf("-s") + 1));
        long iterations = Long.parseLong(words.get(words.indexOf("-n") + 1));
        assertThat(lines).as("%s", lines).hasSize(4);
        assertThat(lines.get(2))
                .matches(
                        2 * size * iterations
                                + " bytes in \\d+\\.\\d\\d seconds = [0-9.]+ Mbit/sec");
        assertThat(lines.get(3))
                .matches(iterations + " iters in \\d+\\.\\d\\d seconds = [0-9.]+ usec/iter");
    }

    private static String address(Program program, String whose) {
        String start = "  " + whose + " address:";
        return program.lines().stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()).strip())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + whose + " address: " + program));
    }

    private static RunningCommand ours(String options, String... host) throws IOException {
        List<String> command = command("rc-pingpong", options, host);
        return RunningCommand.start(command.toArray(String[]::new));
    }

    private static RunningProcess theirs(String options, String... host) throws IOException {
        List<String> command = command("ibv_rc_pingpong", options, host);
        return LabProcess.start(command.toArray(String[]::new));
    }

    private static List<String> command(String name, String options, String... host)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(name);
        command.addAll(Arrays.asList(host));
        command.addAll(List.of("-d", Guest.DEVICE, "-g", Guest.gidIndex(), "-p", "" + PORT));
        command.addAll(Arrays.asList(options.split(" ")));
        return command;
    }
}
