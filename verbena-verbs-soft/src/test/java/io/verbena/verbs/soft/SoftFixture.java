// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.tck.Quirk;
import io.verbena.tck.VerbsFixture;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.net.InetAddress;
import java.util.Set;

/**
 * The software device as the conformance suite sees it.
 *
 * @param initiator the device that starts operations
 * @param target the device they are aimed at
 */
record SoftFixture(String initiator, String target) implements VerbsFixture {
    /** Both ends on one device: the wire inside a process. */
    static final SoftFixture IN_PROCESS = new SoftFixture("soft0", "soft0");

    /** Two devices that share nothing but memory: the wire between processes. */
    static final SoftFixture SHARED_MEMORY = new SoftFixture("soft0", "soft1");

    @Override
    public DeviceContext openInitiator() {
        return Devices.open(initiator);
    }

    @Override
    public DeviceContext openTarget() {
        return Devices.open(target);
    }

    @Override
    public Set<Quirk> quirks() {
        return Set.of(Quirk.INLINE_DATA_NEEDS_A_REGION);
    }

    @Override
    public InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }
}
