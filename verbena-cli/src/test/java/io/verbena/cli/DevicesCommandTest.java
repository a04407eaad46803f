// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Device;
import io.verbena.verbs.Devices;
import io.verbena.verbs.spi.VerbsProvider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DevicesCommandTest {
    private final StringWriter out = new StringWriter();

    @Test
    void shouldPrintEveryDeviceAsIbvDevinfoDoes() {
        run("devices");

        List<String> lines = out.toString().lines().toList();
        for (Device device : Devices.list()) {
            assertThat(lines).contains("hca_id:\t" + device.name());
        }
        assertThat(lines)
                .contains("\ttransport:\t\t\tInfiniBand (0)")
                .contains("\tphys_port_cnt:\t\t\t1")
                .contains("\t\tport:\t1")
                .contains("\t\t\tstate:\t\t\tPORT_ACTIVE (4)")
                .contains("\t\t\tmax_mtu:\t\t4096 (5)")
                .contains("\t\t\tsm_lid:\t\t\t0");
        assertThat(out.toString())
                .containsPattern("\tnode_guid:\t\t\t[0-9a-f]{4}(:[0-9a-f]{4}){3}\n")
                .containsPattern("\t\t\tGID\\[  0\\]:\t\t[0-9a-f]{4}(:[0-9a-f]{4}){7}, ");
    }

    @Test
    void shouldNameTheFieldsInTheOrderOfIbvDevinfo() {
        run("devices", "-d", Devices.list().getLast().name());

        Stream<String> names =
                out.toString().lines().map(line -> line.strip().replaceAll(":.*", ""));
        assertThat(names)
                .containsSubsequence(
                        "hca_id",
                        "transport",
                        "fw_ver",
                        "node_guid",
                        "sys_image_guid",
                        "vendor_id",
                        "vendor_part_id",
                        "hw_ver",
                        "phys_port_cnt",
                        "max_mr_size",
                        "max_qp",
                        "max_qp_wr",
                        "max_sge",
                        "max_cq",
                        "max_cqe",
                        "max_mr",
                        "max_pd",
                        "max_qp_rd_atom",
                        "max_qp_init_rd_atom",
                        "atomic_cap",
                        "num_comp_vectors",
                        "port",
                        "state",
                        "max_mtu",
                        "active_mtu",
                        "sm_lid",
                        "port_lid",
                        "link_layer",
                        "max_msg_sz",
                        "gid_tbl_len",
                        "GID[  0]");
    }

    @Test
    void shouldListNames() {
        run("devices", "-l");

        int count = Devices.list().size();
        assertThat(out.toString()).startsWith(count + (count == 1 ? " HCA" : " HCAs") + " found:");
        for (Device device : Devices.list()) {
            assertThat(out.toString()).contains("\n\t" + device.name() + "\n");
        }
    }

    @Test
    void shouldSayWhyAProviderHasNoDevices() {
        run("devices");

        assertThat(Devices.providers()).extracting(VerbsProvider::name).contains("soft", "native");
        for (VerbsProvider provider : Devices.providers()) {
            String line = "provider " + provider.name() + ": no devices: " + provider.status();
            assertThat(out.toString().lines().anyMatch(line::equals))
                    .as(line)
                    .isEqualTo(provider.devices().isEmpty());
        }
    }

    private void run(String... args) {
        int exit = Main.commandLine().setOut(new PrintWriter(out, true)).execute(args);
        assertThat(exit).isZero();
    }
}
