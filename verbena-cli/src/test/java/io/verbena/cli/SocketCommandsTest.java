// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code socket} and {@code mq}, both sides in this process. */
final class SocketCommandsTest {
    private static final long LIMIT_SECONDS = 60;

    /** A command that runs in a thread of its own. */
    private static final class Running {
        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final CompletableFuture<Integer> exit;

        Running(String line) {
            CommandLine command =
                    Main.commandLine()
                            .setOut(new PrintWriter(out, true))
                            .setErr(new PrintWriter(err, true));
            exit =
                    CompletableFuture.supplyAsync(
                            () -> command.execute(line.split(" ", -1)),
                            task -> Thread.ofPlatform().name("command").start(task));
        }

        String port() throws Exception {
            Pattern line = Pattern.compile("on port (\\d+)");
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (System.nanoTime() - end < 0 && !exit.isDone()) {
                Matcher matcher = line.matcher(out.toString());
                if (matcher.find()) {
                    return matcher.group(1);
                }
                Thread.yield();
            }
            throw new AssertionError("no port: " + out + err);
        }

        int exit() throws Exception {
            return exit.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource({"native,native", "seed,seed", "seed,native", "native,seed"})
    void shouldPrintSenderFlagAndText(String receiving, String sending) throws Exception {
        Running receiver =
                new Running("mq receive --device soft0 --port 0 --count 5 --compat " + receiving);
        Running sender =
                new Running(
                        "mq send --device soft1 --host 127.0.0.1 --node-id 6 --count 5 --size 24"
                                + " --more 1 --compat "
                                + sending
                                + " --port "
                                + receiver.port());

        assertThat(receiver.exit()).as("%s", receiver.err).isZero();
        assertThat(receiver.out.toString().lines().skip(1))
                .containsExactly(
                        "node 6, flag 128: message 0 of node 6 ....",
                        "node 6, flag 0: message 1 of node 6 ....",
                        "node 6, flag 128: message 2 of node 6 ....",
                        "node 6, flag 0: message 3 of node 6 ....",
                        "node 6, flag 0: message 4 of node 6 ....");
        assertThat(sender.exit()).as("%s", sender.err).isZero();
        assertThat(sender.out.toString()).contains("node 6 sent 5 messages");
    }

    @ParameterizedTest
    @CsvSource({"native", "seed"})
    void shouldSendBackWhatClientsSend(String protocol) throws Exception {
        Running server =
                new Running(
                        "socket server --device soft0 --port 0 --connections 1 --compat "
                                + protocol);
        Running client =
                new Running(
                        "socket client --device soft1 --host 127.0.0.1 --node-id 3 --count 2 --port "
                                + server.port());

        assertThat(client.exit()).as("%s", client.err).isZero();
        assertThat(server.exit()).as("%s", server.err).isZero();
        assertThat(client.out.toString()).contains("message 1 of node 3 ...");
        assertThat(server.out.toString())
                .contains("node 3 connected, " + protocol, "node 3: message 0", "node 3 closed");
    }

    @Test
    void shouldSayWhatIsWrong() throws Exception {
        Running nobody = new Running("mq send --device soft0 --port 1");
        Running sideless = new Running("mq");
        Running odd = new Running("socket client --compat other");

        assertThat(nobody.exit()).isEqualTo(1);
        assertThat(nobody.err.toString()).contains("nobody listens");
        assertThat(sideless.exit()).isEqualTo(2);
        assertThat(sideless.err.toString()).contains("receive or send");
        assertThat(odd.exit()).isEqualTo(2);
        assertThat(odd.err.toString()).contains("--compat");
    }

    /** The peer has closed before anything was sent back, and still everything is printed. */
    @ParameterizedTest
    @CsvSource({"native", "seed"})
    void shouldReadWhatWasSentWithoutWaitingForAnswers(String protocol) throws Exception {
        Running server = new Running("socket server --connections 1 -p 0 --compat " + protocol);

        Running client =
                new Running(
                        "socket client --send-only --count 50 --compat "
                                + protocol
                                + " -p "
                                + server.port());

        assertThat(client.exit()).as("%s", client.err).isZero();
        assertThat(client.out.toString()).contains("sent 50 messages");
        assertThat(server.exit()).as("%s", server.err).isZero();
        assertThat(server.out.toString()).contains("message 49 of node 1").contains("closed");
        assertThat(server.out.toString()).doesNotContain("lost");
    }

    @Test
    void shouldSayThatNobodyAnswers() throws Exception {
        Running receiver = new Running("mq receive --count 2 -p 0 --compat seed");

        Running client =
                new Running(
                        "socket client --answer-timeout 1 --count 1 --compat seed -p "
                                + receiver.port());

        assertThat(client.exit()).isEqualTo(1);
        assertThat(client.err.toString())
                .contains("no answer to message 0 within 1 s")
                .contains("--send-only");
        assertThat(new Running("mq send --compat seed -p " + receiver.port()).exit()).isZero();
        assertThat(receiver.exit()).isZero();
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        for (String command : new String[] {"socket client", "mq send"}) {
            Running client = new Running(command + " -p 1");

            assertThat(client.exit()).isEqualTo(1);
            assertThat(client.err.toString()).contains("nobody listens at 127.0.0.1:1");
        }
    }
}
