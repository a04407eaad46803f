// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.ChildJvm;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** A machine without a usable device. */
class NoDeviceTest {
    @Test
    void shouldUseTcpAndSayWhatToDo() throws InterruptedException {
        List<String> lines = new ArrayList<>();
        try (ChildJvm child =
                ChildJvm.start(
                        List.of("-Dverbena.soft.directory=/proc/none"), NoDeviceProgram.class)) {
            String line = child.line();
            while (!line.startsWith("device ")) {
                lines.add(line);
                line = child.line();
            }
            assertThat(line).isEqualTo("device '', RDMA false");
            child.finish();
        }
        assertThat(String.join("\n", lines))
                .contains("there is no RDMA device, so all connections use TCP")
                .contains("soft0")
                .contains("-Dverbena.soft.directory");
    }

    @Test
    void shouldListTheNamesIfTheWantedOneIsMissing() {
        Properties flags = new Properties();
        flags.setProperty("rdma_device", "mlx5_9");

        assertThatThrownBy(() -> RpcNode.open(SocketMode.RDMA, flags))
                .hasMessageContaining("rdma_device: mlx5_9 (expected: one of [")
                .hasMessageContaining("soft0");
    }
}
