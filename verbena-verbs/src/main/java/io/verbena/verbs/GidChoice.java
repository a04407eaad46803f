// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Chooses the global identifier for a connection made without the connection manager.
 *
 * <p>A RoCE port has one identifier per address and protocol version. Some are link-local, which no
 * router forwards; in a container some belong to addresses in other network namespaces. The choice
 * is RoCE v2 with an address that this process can really use: IPv4 if there is one, else IPv6, at
 * the lowest index.
 */
final class GidChoice {
    private static final String ROCE = "RoCE";
    private static final String ROCE_V2 = "RoCE v2";

    /** What IPv4 addresses look like inside a GID: {@code ::ffff:a.b.c.d}. */
    private static final long MAPPED_PREFIX = 0xFFFFL;

    private final int port;
    private final List<GidEntry> entries;
    private final Set<Gid> local;

    /**
     * For one port.
     *
     * @param local the addresses of this host, see {@link #localAddresses}
     */
    GidChoice(int port, List<GidEntry> entries, Set<Gid> local) {
        this.port = port;
        this.entries = entries;
        this.local = local;
    }

    /**
     * {@return the index to use}
     *
     * @param asked what the user set, as text; empty to choose
     */
    int index(String asked) {
        return asked.isEmpty() ? best() : checked(asked);
    }

    private int checked(String asked) {
        Optional<GidEntry> entry = first(e -> asked.equals(Integer.toString(e.index())));
        return entry.orElseThrow(
                        () ->
                                new VerbsException(
                                        "ibv_query_gid",
                                        Errno.EINVAL,
                                        DeviceContext.GID_INDEX_PROPERTY
                                                + ": "
                                                + asked
                                                + " (expected: one of "
                                                + indices()
                                                + ")"))
                .index();
    }

    private int best() {
        boolean isRoce = entries.stream().anyMatch(entry -> entry.type().startsWith(ROCE));
        Optional<GidEntry> entry =
                isRoce
                        ? first(e -> isUsable(e) && isMapped(e.gid()))
                                .or(() -> first(this::isUsable))
                        : first(e -> true);
        return entry.orElseThrow(this::none).index();
    }

    private boolean isUsable(GidEntry entry) {
        return entry.type().equals(ROCE_V2) && local.contains(entry.gid());
    }

    private static boolean isMapped(Gid gid) {
        return gid.high() == 0 && gid.low() >>> 32 == MAPPED_PREFIX;
    }

    private Optional<GidEntry> first(Predicate<GidEntry> wanted) {
        return entries.stream().filter(wanted).findFirst();
    }

    private List<Integer> indices() {
        return entries.stream().map(GidEntry::index).toList();
    }

    private VerbsException none() {
        return new VerbsException(
                "ibv_query_gid",
                Errno.EADDRNOTAVAIL,
                "port "
                        + port
                        + " has no RoCE v2 GID with an address of this host, among "
                        + entries
                        + "; give its network interface an address (ip addr add), or choose with -D"
                        + DeviceContext.GID_INDEX_PROPERTY
                        + "=INDEX");
    }

    /** {@return the addresses at which other hosts can reach this one, as identifiers} */
    static Set<Gid> localAddresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .map(GidChoice::gid)
                    .collect(Collectors.toSet());
        } catch (SocketException e) {
            throw new VerbsException(
                    "ibv_query_gid", Errno.EIO, "this host's addresses cannot be listed", e);
        }
    }

    private static Gid gid(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16) {
            return Gid.of(bytes);
        }
        long v4 = 0;
        for (byte b : bytes) {
            v4 = v4 << 8 | b & 0xFF;
        }
        return new Gid(0, MAPPED_PREFIX << 32 | v4);
    }
}
