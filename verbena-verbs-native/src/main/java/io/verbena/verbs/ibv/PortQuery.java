// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.PortState;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Queries an open device about its ports; {@code ibv_query_port}, {@code ibv_query_gid_table}. */
final class PortQuery {
    private static final Path SYSTEM = Path.of("/sys/class/infiniband");

    private PortQuery() {}

    static PortAttributes attributes(NativeCall call, long context, int port) {
        MemorySegment memory = call.allocate(IbvLayout.PORT_ATTR);
        int result = Ibverbs.ibv_query_port(call, context, (byte) port, memory.address());
        NativeCall.check("ibv_query_port", result, "port: " + port);
        return new PortAttributes(
                PortState.of(IbvLayout.PORT_STATE.getInt(memory)),
                PathMtu.of(IbvLayout.PORT_MAX_MTU.getInt(memory)),
                PathMtu.of(IbvLayout.PORT_ACTIVE_MTU.getInt(memory)),
                IbvLayout.PORT_LID.getInt(memory),
                IbvLayout.PORT_GID_TBL_LEN.getInt(memory),
                IbvLayout.PORT_MAX_MSG_SZ.get(memory),
                linkLayer(IbvLayout.PORT_LINK_LAYER.getInt(memory)));
    }

    /** Devices that do not say are InfiniBand: they are older than the field. */
    private static String linkLayer(int code) {
        return code == IbvLayout.IBV_LINK_LAYER_ETHERNET.value() ? "Ethernet" : "InfiniBand";
    }

    /**
     * {@return the valid global identifiers of a port}
     *
     * @param ports how many ports there are
     * @param device its name, to find it in the system's tables
     */
    static List<GidEntry> gids(NativeCall call, long context, int port, int ports, String device) {
        List<GidEntry> entries =
                Ibverbs.hasGidTable()
                        ? table(call, context, port, ports)
                        : oneByOne(call, context, device, port);
        entries.sort(Comparator.comparingInt(GidEntry::index));
        return List.copyOf(entries);
    }

    private static List<GidEntry> table(NativeCall call, long context, int port, int ports) {
        long stride = IbvLayout.GID_ENTRY.size();
        long room = tableRoom(call, context, ports);
        MemorySegment memory = call.arena().allocate(stride * room, Long.BYTES);
        long count = Ibverbs._ibv_query_gid_table(call, context, memory.address(), room, 0, stride);
        if (count < 0) {
            NativeCall.check("ibv_query_gid_table", (int) count, "port: " + port);
        }
        List<GidEntry> entries = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            MemorySegment entry = memory.asSlice(i * stride, stride);
            if (IbvLayout.GID_ENTRY_PORT_NUM.getInt(entry) == port) {
                entries.add(
                        new GidEntry(
                                IbvLayout.GID_ENTRY_INDEX.getInt(entry),
                                QueuePairLayout.gid(IbvLayout.GID_ENTRY_GID.in(entry)),
                                type(IbvLayout.GID_ENTRY_TYPE.getInt(entry))));
            }
        }
        return entries;
    }

    /** The table has the rows of all ports. */
    private static long tableRoom(NativeCall call, long context, int ports) {
        long room = 0;
        for (int port = 1; port <= ports; port++) {
            room += attributes(call, context, port).gidTableLength();
        }
        return room;
    }

    private static String type(int code) {
        if (code == IbvLayout.IBV_GID_TYPE_ROCE_V2.value()) {
            return "RoCE v2";
        }
        return code == IbvLayout.IBV_GID_TYPE_ROCE_V1.value() ? "RoCE v1" : "IB";
    }

    private static List<GidEntry> oneByOne(NativeCall call, long context, String device, int port) {
        int room = attributes(call, context, port).gidTableLength();
        MemorySegment memory = call.allocate(IbvLayout.GID);
        List<GidEntry> entries = new ArrayList<>();
        for (int index = 0; index < room; index++) {
            int result = Ibverbs.ibv_query_gid(call, context, (byte) port, index, memory.address());
            Gid gid = QueuePairLayout.gid(memory);
            if (result == 0 && !gid.equals(Gid.ZERO)) {
                entries.add(new GidEntry(index, gid, systemType(device, port, index)));
            }
        }
        return entries;
    }

    private static String systemType(String device, int port, int index) {
        Path file = SYSTEM.resolve(device).resolve("ports/" + port + "/gid_attrs/types/" + index);
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
            return text.equals("IB/RoCE v1") ? "RoCE v1" : text;
        } catch (IOException e) {
            // Kernels before 4.5 do not have this file, nor RoCE v2.
            return "IB";
        }
    }
}
