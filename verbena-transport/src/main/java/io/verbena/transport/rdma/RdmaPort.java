// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.PortState;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;

/**
 * The port of an open device that connections use, its address, and the settings of a queue pair
 * connected through it, which are brpc's.
 */
final class RdmaPort {
    private static final int TIMEOUT = 14;
    private static final int RETRIES = 7;
    private static final int RNR_RETRIES = 0;

    private final DeviceContext context;
    private final int number;
    private final int wantedGidIndex;
    private final PathMtu pathMtu;
    private final int trafficClass;
    private volatile Address address;

    /** The address that peers must know; changes when the network does. */
    record Address(int lid, int gidIndex, Gid gid) {}

    private RdmaPort(DeviceContext context, TransportFlags flags) {
        this.context = context;
        this.number = flags.integer(TransportFlag.RDMA_PORT);
        this.wantedGidIndex = flags.integer(TransportFlag.RDMA_GID_INDEX);
        this.pathMtu = pathMtu(context.queryPort(number), flags);
        this.trafficClass = flags.integer(TransportFlag.RDMA_TRAFFIC_CLASS);
        this.address = find();
    }

    /**
     * {@return the port the flags name, of the device they name or else of the first usable one}
     */
    static RdmaPort open(TransportFlags flags) {
        String name = flags.text(TransportFlag.RDMA_DEVICE);
        List<String> refused = new ArrayList<>();
        List<Device> devices = Devices.list();
        for (Device device : devices) {
            if (!name.isEmpty() && !name.equals(device.name())) {
                continue;
            }
            try {
                return of(device.open(), flags);
            } catch (VerbsException e) {
                refused.add(device.name() + ": " + e.getMessage());
            }
        }
        throw new VerbsException("ibv_open_device", Errno.ENODEV, noDevice(name, devices, refused));
    }

    private static String noDevice(String name, List<Device> devices, List<String> refused) {
        if (!refused.isEmpty()) {
            return "no usable device; " + String.join("; ", refused);
        }
        List<String> names = devices.stream().map(Device::name).toList();
        return name.isEmpty()
                ? "no RDMA device" + Devices.missing()
                : "rdma_device: " + name + " (expected: one of " + names + ")" + Devices.missing();
    }

    /** {@return the port the flags name} Closes the context if it cannot be used. */
    static RdmaPort of(DeviceContext context, TransportFlags flags) {
        int port = flags.integer(TransportFlag.RDMA_PORT);
        try {
            PortState state = context.queryPort(port).state();
            if (state != PortState.ACTIVE) {
                throw new VerbsException(
                        "ibv_query_port",
                        Errno.ENODEV,
                        "port " + port + " state: " + state + " (expected: ACTIVE)");
            }
            return new RdmaPort(context, flags);
        } catch (Throwable e) {
            context.close();
            throw e;
        }
    }

    private static PathMtu pathMtu(PortAttributes port, TransportFlags flags) {
        int bytes = flags.integer(TransportFlag.RDMA_PATH_MTU);
        for (PathMtu mtu : PathMtu.values()) {
            if (mtu.bytes() == bytes && bytes <= port.activeMtu().bytes()) {
                return mtu;
            }
        }
        throw new IllegalArgumentException(
                "rdma_path_mtu: "
                        + bytes
                        + " (expected: a power of two from 256 to the port's active MTU, "
                        + port.activeMtu().bytes()
                        + ")");
    }

    /** Reads the address again, after an event that reported a change. */
    void refresh() {
        address = find();
    }

    private Address find() {
        int wanted = wantedGidIndex < 0 ? context.defaultGidIndex(number) : wantedGidIndex;
        List<GidEntry> entries = context.queryGids(number);
        GidEntry entry =
                entries.stream()
                        .filter(one -> one.index() == wanted)
                        .findFirst()
                        .orElseThrow(() -> noSuchGid(wanted, entries));
        return new Address(context.queryPort(number).lid(), entry.index(), entry.gid());
    }

    private static VerbsException noSuchGid(int wanted, List<GidEntry> entries) {
        return new VerbsException(
                "ibv_query_gid",
                Errno.EINVAL,
                "rdma_gid_index: "
                        + wanted
                        + " (expected: -1, or the index of one of "
                        + entries
                        + ")");
    }

    DeviceContext context() {
        return context;
    }

    int number() {
        return number;
    }

    /** {@return the address that peers get who have not said anything yet} */
    Address address() {
        return address;
    }

    /**
     * {@return the address from which a peer can be reached} A port has identifiers of several
     * kinds, and a packet must not mix them: a peer with an IPv6 one gets an IPv6 one, unless the
     * flags name another.
     *
     * @param peer the peer's identifier
     */
    Address addressFor(Gid peer) {
        Address usual = address;
        if (wantedGidIndex >= 0 || peer.equals(Gid.ZERO) || isLike(usual.gid(), peer)) {
            return usual;
        }
        List<GidEntry> entries = context.queryGids(number);
        String type = typeOf(usual, entries);
        return entries.stream()
                .filter(one -> one.type().equals(type) && isLike(one.gid(), peer))
                .findFirst()
                .map(one -> new Address(usual.lid(), one.index(), one.gid()))
                .orElse(usual);
    }

    private static String typeOf(Address usual, List<GidEntry> entries) {
        return entries.stream()
                .filter(one -> one.index() == usual.gidIndex())
                .findFirst()
                .map(GidEntry::type)
                .orElse("");
    }

    private static boolean isLike(Gid one, Gid other) {
        return one.isIpv4() == other.isIpv4() && one.isLinkLocal() == other.isLinkLocal();
    }

    /** {@return whether the port can carry traffic now} */
    boolean isActive() {
        return context.queryPort(number).state() == PortState.ACTIVE;
    }

    QueuePairAttributes toInit() {
        return QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(number)
                .access(AccessFlag.REMOTE_WRITE);
    }

    QueuePairAttributes toReadyToReceive(Hello peer, Address from) {
        return QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                .path(peer.gid(), peer.lid(), from.gidIndex())
                .trafficClass(trafficClass)
                .pathMtu(pathMtu)
                .destination(peer.queuePairNumber())
                .receivePacketSequenceNumber(0)
                .maxDestinationReadAtomic(0)
                .minRnrTimer(0);
    }

    QueuePairAttributes toReadyToSend() {
        return QueuePairAttributes.to(QueuePairState.READY_TO_SEND)
                .timeout(TIMEOUT)
                .retryCount(RETRIES)
                .rnrRetry(RNR_RETRIES)
                .sendPacketSequenceNumber(0)
                .maxReadAtomic(0);
    }

    @Override
    public String toString() {
        return context.device().name() + " port " + number + " gid " + address.gid();
    }
}
