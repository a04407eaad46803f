// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.DeviceContext;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;

/**
 * What a provider tells the suite about itself: how to open the two ends, and where it is known to
 * differ.
 *
 * <p>Every call of {@link #openInitiator()} and {@link #openTarget()} opens a new context; the
 * suite closes it.
 */
public interface VerbsFixture {
    /** {@return a newly opened context for the side that starts operations} */
    DeviceContext openInitiator();

    /** {@return a newly opened context for the other side, possibly of the same device} */
    DeviceContext openTarget();

    /**
     * {@return an address of this host that the connection manager can listen on and connect to}
     */
    InetAddress address();

    /**
     * {@return where the provider differs from the reference, by documented behaviour of its
     * device}
     */
    default Set<Quirk> quirks() {
        return Set.of();
    }

    /**
     * {@return by which factor the longest repetitions are cut; above 1 for a device that is
     * emulated}
     */
    default int slowness() {
        return 1;
    }

    /** {@return the limit of every single wait} */
    default Duration patience() {
        return Duration.ofSeconds(10);
    }
}
