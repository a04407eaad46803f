// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** The address that two processes on one device of this host use to connect. */
final class DemoAddress {
    /** What the peer prints before its port. */
    static final String ANNOUNCEMENT = "demo peer listens on port ";

    /** The upper half of the low word of an IPv4-mapped IPv6 address. */
    private static final long IPV4_MAPPED = 0xFFFF;

    private DemoAddress() {}

    /**
     * {@return the device's own IPv4 address if one of its GIDs says so, else the loopback address}
     *
     * @param context the device
     */
    static InetAddress of(DeviceContext context) {
        for (GidEntry entry : context.queryGids(1)) {
            Gid gid = entry.gid();
            if (context.device().isHardware()
                    && gid.high() == 0
                    && gid.low() >>> Integer.SIZE == IPV4_MAPPED) {
                return ipv4((int) gid.low());
            }
        }
        return InetAddress.getLoopbackAddress();
    }

    private static InetAddress ipv4(int bits) {
        try {
            return InetAddress.getByAddress(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bits).array());
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }
}
