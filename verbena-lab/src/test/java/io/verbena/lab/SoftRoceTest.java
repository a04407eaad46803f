// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What all other tests in the guest count on: a soft-RoCE device that works for C programs. */
@Tag("lab")
@Order(1)
class SoftRoceTest {
    @Test
    void shouldHaveAnActiveDevice() throws Exception {
        String devices = Command.run(30, "ibv_devinfo", "-d", "rxe0");

        assertThat(devices).contains("hca_id:\trxe0", "PORT_ACTIVE (4)", "active_mtu:\t\t4096 (5)");
    }

    @Test
    void shouldHaveGidsOfBothAddresses() throws IOException {
        Path gids = Path.of("/sys/class/infiniband/rxe0/ports/1/gids");

        assertThat(Files.readString(gids.resolve("1")))
                .isEqualToIgnoringNewLines("fd77:0000:0000:0000:0000:0000:0000:0001");
        assertThat(Files.readString(gids.resolve("2")))
                .isEqualToIgnoringNewLines("0000:0000:0000:0000:0000:ffff:0a4d:0001");
    }

    @Test
    void shouldCarryDataBetweenTwoPrograms() throws Exception {
        try (Command server = Command.start("rping", "-s", "-C", "10", "-V")) {
            String client = "until rping -c -a 10.77.0.1 -C 10 -V -v; do sleep 0.1; done";
            String printed = Command.run(60, "sh", "-c", client);

            assertThat(printed.lines().filter(line -> line.startsWith("ping data: rdma-ping-")))
                    .hasSizeGreaterThanOrEqualTo(10);
            assertThat(server.awaitStatus(30)).as("status of %s", server).isZero();
        }
    }
}
