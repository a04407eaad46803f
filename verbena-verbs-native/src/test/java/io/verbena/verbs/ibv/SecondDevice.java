// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Device;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Another soft-RoCE device in the guest of the lab, on a network interface that leads nowhere. */
final class SecondDevice implements AutoCloseable {
    private static final String NAME = "rxe-second";
    private static final String INTERFACE = "second0";

    SecondDevice() throws IOException {
        Assumptions.assumeTrue(
                run("ip", "link", "add", INTERFACE, "type", "dummy").isEmpty(),
                "the kernel has no dummy interfaces");
        run("ip", "address", "add", "10.78.0.1/24", "dev", INTERFACE);
        run("ip", "link", "set", INTERFACE, "up");
        String problem = run("rdma", "link", "add", NAME, "type", "rxe", "netdev", INTERFACE);
        if (!problem.isEmpty()) {
            close();
            throw new AssertionError(problem);
        }
    }

    Device device() {
        return new NativeProvider()
                .devices().stream()
                        .filter(device -> device.name().equals(NAME))
                        .findFirst()
                        .orElseThrow();
    }

    @Override
    public void close() throws IOException {
        run("rdma", "link", "delete", NAME);
        run("ip", "link", "delete", INTERFACE);
    }

    /** {@return what the command complained about} */
    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // Its output has ended, so it is about to end too.
        return process.onExit().join().exitValue() == 0
                ? ""
                : String.join(" ", command) + ": " + output;
    }
}
