// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.testing.ChildJvm;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shared memory of the software device fills up: connections that are there go on, new ones use
 * TCP and the log says why, and later ones use RDMA again once there is room.
 */
class FullSharedMemoryCallsTest {
    private static final String FIRST = BlockPoolOptions.INITIAL_SIZE_MB + "=32";
    private static final String FURTHER = BlockPoolOptions.INCREASE_SIZE_MB + "=32";

    @TempDir private Path folder;

    private final List<String> logged = new ArrayList<>();

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        int status =
                run(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        "size=224m,mode=0700",
                        "verbena-test",
                        folder.toString());
        assumeTrue(status == 0, "a small file system cannot be mounted here: needs root");
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        run("umount", "-l", folder.toString());
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private ChildJvm start(Class<?> program) {
        return ChildJvm.start(
                List.of("-Dverbena.soft.directory=" + folder),
                program,
                SocketMode.RDMA,
                FIRST,
                FURTHER);
    }

    @Test
    void shouldGoOnAndUseTcpUntilThereIsRoomAgain() throws Exception {
        try (ChildJvm server = start(EchoServerProgram.class);
                ChildJvm client = start(EchoClientProgram.class)) {
            client.tell("127.0.0.1:" + server.line());
            assertThat(ask(client, "call before")).isEqualTo("RDMA");
            client.tell("load before");

            fill();
            assertThat(ask(client, "call before")).isEqualTo("RDMA");
            assertThat(ask(client, "call during")).isEqualTo("TCP");
            assertThat(ask(client, "call during")).isEqualTo("TCP");
            awaitWarning(server);

            empty();
            assertThat(ask(client, "call after")).isEqualTo("RDMA");
            assertThat(ask(client, "stop")).isEqualTo("all answered over RDMA");
            client.finish();
            server.finish();
        }
        assertThat(logged).noneMatch(line -> line.contains("Error"));
    }

    @Test
    void shouldNameTheCauseWhenThePoolCannotGrow() throws Exception {
        try (ChildJvm server = start(EchoServerProgram.class);
                ChildJvm client = start(EchoClientProgram.class)) {
            client.tell("127.0.0.1:" + server.line());
            assertThat(ask(client, "call one")).isEqualTo("RDMA");

            fill();
            assertThat(ask(client, "large one"))
                    .contains("no default block is free", "refuses more memory", "/dev/shm");
            assertThat(ask(client, "call one")).isEqualTo("RDMA");

            empty();
            // a pool that was refused memory does not ask again at once
            String[] last = {""};
            Eventually.become(
                    () -> {
                        last[0] = askUninterrupted(client, "large one");
                        return last[0].equals("RDMA");
                    },
                    () -> last[0]);
            client.finish();
            server.finish();
        }
    }

    @Test
    void shouldNameTheCauseWhenANodeCannotOpen() throws Exception {
        fill();
        try (ChildJvm client = start(EchoClientProgram.class)) {
            assertThat(ask(client, "127.0.0.1:1"))
                    .contains("needed=", "available=", folder.toString(), "enlarge");
            client.finish();
        }
        empty();
        try (ChildJvm server = start(EchoServerProgram.class);
                ChildJvm client = start(EchoClientProgram.class)) {
            client.tell("127.0.0.1:" + server.line());
            assertThat(ask(client, "call after")).isEqualTo("RDMA");
            client.finish();
            server.finish();
        }
    }

    private String askUninterrupted(ChildJvm client, String line) {
        try {
            return ask(client, line);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return the answer of the client to a line; what it logs meanwhile is kept} */
    private String ask(ChildJvm client, String line) throws InterruptedException {
        client.tell(line);
        while (true) {
            String next = client.line();
            if (next.startsWith(EchoClientProgram.ANSWER)) {
                return next.substring(EchoClientProgram.ANSWER.length());
            }
            logged.add(next);
        }
    }

    /** Whichever side finds no room says so. */
    private void awaitWarning(ChildJvm server) throws InterruptedException {
        while (logged.stream().noneMatch(line -> line.contains("needed="))) {
            logged.add(server.line());
        }
        assertThat(logged)
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .contains(
                                                "uses TCP",
                                                "needed=",
                                                folder.toString(),
                                                "enlarge"));
    }

    private Path filler() {
        return folder.resolve("filler");
    }

    private void fill() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        try (FileChannel channel =
                FileChannel.open(filler(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                channel.write(bytes.clear());
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space");
        }
    }

    private void empty() throws IOException {
        Files.delete(filler());
    }
}
