// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.EndpointKind;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Which devices the two ends of a test use: the software devices, or one that the system property
 * {@code verbena.transport.device} names, whose network address is {@code
 * verbena.transport.address}.
 */
public final class DeviceUnderTest {
    private static final String PROPERTY = "verbena.transport.device";

    /** Name of the device of the end that is tested. */
    public static final String LEFT = System.getProperty(PROPERTY, "soft0");

    /** Name of the device of its peer. */
    public static final String RIGHT = System.getProperty(PROPERTY, "soft1");

    private DeviceUnderTest() {}

    /** {@return what a handshake may set up: on other devices nothing is pretended} */
    public static Stream<EndpointKind> kinds() {
        return isSoftware() ? Stream.of(EndpointKind.values()) : Stream.of(EndpointKind.DEVICE);
    }

    /** {@return how often to do something: less often on a device that may be emulated} */
    public static int rounds(int usual) {
        return isSoftware() ? usual : Math.max(1, usual / 10);
    }

    /** Skips a test in which a queue pair must give up: with 7 retries, rxe retries forever. */
    public static void assumeRetriesEnd() {
        Assumptions.assumeTrue(isSoftware(), "rxe takes a retry count of 7 for infinite");
    }

    /** Skips a test in which something must happen within a second or two: a guest may stall. */
    public static void assumePunctual() {
        Assumptions.assumeTrue(isSoftware(), "the machine may be emulated");
    }

    private static boolean isSoftware() {
        return System.getProperty(PROPERTY) == null;
    }

    /** {@return where servers listen: the connection manager finds the device by it} */
    public static InetAddress address() {
        try {
            // without a name it is the loopback address
            return InetAddress.getByName(System.getProperty("verbena.transport.address"));
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }
}
