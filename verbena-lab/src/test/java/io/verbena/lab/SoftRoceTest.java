// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.RunningProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What all other tests in the guest rely on: a soft-RoCE device that works for C programs. */
@InLab
@Order(1)
class SoftRoceTest {
    @Test
    void shouldHaveAnActiveDevice() throws Exception {
        try (RunningProcess devices = LabProcess.start("ibv_devinfo", "-d", Guest.DEVICE)) {
            assertThat(devices.awaitExit()).as("status of %s", devices).isZero();
            assertThat(devices.toString())
                    .contains("hca_id:\trxe0", "PORT_ACTIVE (4)", "active_mtu:\t\t4096 (5)");
        }
    }

    @Test
    void shouldHaveGidsOfBothAddresses() throws IOException {
        Path gids = Path.of("/sys/class/infiniband/rxe0/ports/1/gids");

        assertThat(Files.readString(gids.resolve("1")))
                .isEqualToIgnoringNewLines("fd77:0000:0000:0000:0000:0000:0000:0001");
        assertThat(Files.readString(gids.resolve("2")))
                .isEqualToIgnoringNewLines("0000:0000:0000:0000:0000:ffff:0a4d:0001");
    }

    /**
     * The guest's system clock counts the processor's ticks, its calendar clock the host's seconds.
     */
    @Test
    void shouldHaveAClockThatRunsAsFastAsTheHosts() throws Exception {
        Path calendar = Path.of("/sys/class/rtc/rtc0/since_epoch");
        Instant now = Instant.now();
        long host = Long.parseLong(Files.readString(calendar).strip());

        // one is set from the other at boot: a wrong frequency has had the whole boot to show
        assertThat(Duration.between(Instant.ofEpochSecond(host), now).abs())
                .isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void shouldCarryDataBetweenTwoPrograms() throws Exception {
        String again = "until rping -c -a 10.77.0.1 -C 10 -V -v; do sleep 0.1; done";
        try (RunningProcess server = LabProcess.start("rping", "-s", "-C", "10", "-V");
                RunningProcess client = LabProcess.start("sh", "-c", again)) {
            assertThat(client.awaitExit()).as("status of %s", client).isZero();
            assertThat(client.lines().stream().filter(line -> line.startsWith("ping data: rdma-")))
                    .hasSizeGreaterThanOrEqualTo(10);
            assertThat(server.awaitExit()).as("status of %s", server).isZero();
        }
    }
}
