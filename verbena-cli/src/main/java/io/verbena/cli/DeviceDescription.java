// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Prints a device in the layout of {@code ibv_devinfo -v}: those fields that Verbena's verbs
 * provide.
 */
final class DeviceDescription {
    private static final int TAB = 8;
    private static final int DEVICE_COLUMN = 5 * TAB;
    private static final int PORT_COLUMN = 6 * TAB;

    private final PrintWriter out;

    DeviceDescription(PrintWriter out) {
        this.out = out;
    }

    void print(DeviceContext context) {
        DeviceAttributes device = context.queryDevice();
        out.println("hca_id:\t" + context.device().name());
        printIdentity(device);
        printLimits(device);
        for (int port = 1; port <= device.ports(); port++) {
            out.println("\t\tport:\t" + port);
            printPort(context.queryPort(port));
            for (GidEntry entry : context.queryGids(port)) {
                if (!entry.gid().equals(Gid.ZERO)) {
                    portField(
                            String.format(Locale.ROOT, "GID[%3d]", entry.index()),
                            entry.gid() + ", " + entry.type());
                }
            }
            out.println();
        }
    }

    private void printIdentity(DeviceAttributes device) {
        // Every device here uses the InfiniBand transport, RoCE included; iWARP would be 1.
        field("transport", "InfiniBand (0)");
        field("fw_ver", device.firmwareVersion());
        field("node_guid", guid(device.nodeGuid()));
        field("sys_image_guid", guid(device.systemImageGuid()));
        field("vendor_id", String.format(Locale.ROOT, "0x%04x", device.vendorId()));
        field("vendor_part_id", device.vendorPartId());
        field("hw_ver", String.format(Locale.ROOT, "0x%X", device.hardwareVersion()));
        field("phys_port_cnt", device.ports());
    }

    private void printLimits(DeviceAttributes device) {
        field("max_mr_size", "0x" + Long.toHexString(device.maxMemoryRegionBytes()));
        field("max_qp", device.maxQueuePairs());
        field("max_qp_wr", device.maxQueuePairWorkRequests());
        field("max_sge", device.maxElements());
        field("max_cq", device.maxCompletionQueues());
        field("max_cqe", device.maxCompletions());
        field("max_mr", device.maxMemoryRegions());
        field("max_pd", device.maxProtectionDomains());
        field("max_qp_rd_atom", device.maxReadAtomic());
        field("max_qp_init_rd_atom", device.maxInitiatorReadAtomic());
        field("atomic_cap", device.atomics() ? "ATOMIC_HCA (1)" : "ATOMIC_NONE (0)");
        field("num_comp_vectors", device.completionVectors());
    }

    private void printPort(PortAttributes port) {
        portField("state", "PORT_" + port.state() + " (" + port.state().code() + ")");
        portField("max_mtu", mtu(port.maxMtu()));
        portField("active_mtu", mtu(port.activeMtu()));
        if (!port.linkLayer().equals("InfiniBand")) {
            // Only InfiniBand has a subnet manager, and these verbs do not query its LID.
            portField("sm_lid", "0");
        }
        portField("port_lid", Integer.toString(port.lid()));
        portField("link_layer", port.linkLayer());
        portField("max_msg_sz", "0x" + Long.toHexString(port.maxMessageBytes()));
        portField("gid_tbl_len", Integer.toString(port.gidTableLength()));
    }

    private static String mtu(PathMtu mtu) {
        return mtu.bytes() + " (" + mtu.code() + ")";
    }

    private static String guid(long guid) {
        String hex = String.format(Locale.ROOT, "%016x", guid);
        return String.join(
                ":",
                hex.substring(0, 4),
                hex.substring(4, 8),
                hex.substring(8, 12),
                hex.substring(12));
    }

    private void field(String name, Object value) {
        print(TAB, name, DEVICE_COLUMN, value);
    }

    private void portField(String name, String value) {
        print(3 * TAB, name, PORT_COLUMN, value);
    }

    /** Tabs up to the column of the values, as in the C program. */
    private void print(int indent, String name, int column, Object value) {
        int width = indent + name.length() + 1;
        int tabs = Math.max(1, (column - width + TAB - 1) / TAB);
        out.println("\t".repeat(indent / TAB) + name + ":" + "\t".repeat(tabs) + value);
    }
}
