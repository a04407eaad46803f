// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Program;
import io.verbena.testing.RunningProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A JVM that is killed leaves nothing in the kernel, and the next one finds a working device. */
@InLab
final class KilledProcessTest {
    private static final List<String> KINDS = List.of("qp", "mr", "cq", "pd", "cm_id");

    /** More than a guest can send in the time of a test. */
    private static final String LONG = "2000000";

    /** How {@code rdma} marks what the kernel itself owns. */
    private static final String KERNEL = " comm [";

    private static final String LISTENING = "listening on port ";

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    @Test
    void shouldLeaveNothingBehindWhenKilledUnderLoad() throws InterruptedException {
        String port = "18700";
        try (RunningProcess server = bench("--listen", port);
                RunningProcess client = bench("--connect=localhost", port, "-n", LONG)) {
            client.awaitLine(" #bytes");
            assertThat(resources()).isNotEmpty();
            // Under load: until it prints the first row, it is never without work.
            server.kill();
            client.kill();
            server.awaitExit();
            client.awaitExit();

            awaitNothingLeft();
        }
        try (Program server = RunningCommand.start(arguments("--listen", port));
                Program client = connect(server, port)) {
            assertThat(client.awaitExit()).as("%s\n%s", client, server).isZero();
            assertThat(server.awaitExit()).as("%s", server).isZero();
        }
    }

    @Test
    void shouldTellTheSurvivorOfAKilledPeer() throws InterruptedException {
        String port = "18701";
        try (RunningProcess server = bench("--listen", port);
                RunningProcess client = bench("--connect=localhost", port, "-n", LONG)) {
            client.awaitLine(" #bytes");
            server.kill();

            assertThat(client.awaitExit()).as("%s", client).isEqualTo(1);
            awaitNothingLeft();
        }
    }

    private static Program connect(Program server, String port) throws InterruptedException {
        server.awaitLine(LISTENING);
        return RunningCommand.start(arguments("--connect=localhost", port, "-n", "50"));
    }

    private static RunningProcess bench(String role, String port, String... more)
            throws InterruptedException {
        RunningProcess started = LabProcess.verbena(arguments(role, port, more));
        if (role.equals("--listen")) {
            started.awaitLine(LISTENING);
        }
        return started;
    }

    private static String[] arguments(String role, String port, String... more) {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(List.of("bench", "send_bw", "-d", Guest.DEVICE, "-s", "4096"));
        arguments.addAll(List.of("--runs", "1", "--warmup", "0", "-p", port, role));
        arguments.addAll(Arrays.asList(more));
        return arguments.toArray(String[]::new);
    }

    private static void awaitNothingLeft() throws InterruptedException {
        // The kernel releases what a process had as the last step of its exit.
        long deadline = System.nanoTime() + LIMIT_NS;
        List<String> left = resources();
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            left = resources();
        }
        assertThat(left).isEmpty();
    }

    /**
     * {@return the lines of {@code rdma resource show} that belong to programs} They cannot be told
     * apart by owner: the kernel names the thread that made a resource, not its process. Nothing
     * else in the guest has any.
     */
    private static List<String> resources() throws InterruptedException {
        List<String> found = new ArrayList<>();
        for (String kind : KINDS) {
            try (RunningProcess rdma = LabProcess.start("rdma", "resource", "show", kind)) {
                assertThat(rdma.awaitExit()).as("%s", rdma).isZero();
                rdma.lines().stream().filter(line -> !line.contains(KERNEL)).forEach(found::add);
            }
        }
        return found;
    }
}
