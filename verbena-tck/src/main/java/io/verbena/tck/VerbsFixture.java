// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.DeviceContext;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;

/**
 * What the suite needs to know about a provider: how to open the two ends, and where it is known to
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

    /** {@return the documented differences between the provider's device and the reference} */
    default Set<Quirk> quirks() {
        return Set.of();
    }

    /**
     * {@return the factor by which the longest repetitions are reduced; above 1 for an emulated
     * device}
     */
    default int slowness() {
        return 1;
    }

    /** {@return the limit of every single wait} */
    default Duration patience() {
        return Duration.ofSeconds(10);
    }
}
