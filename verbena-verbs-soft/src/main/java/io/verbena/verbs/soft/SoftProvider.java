// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Device;
import io.verbena.verbs.spi.VerbsProvider;
import java.util.List;

/**
 * The provider of the software device {@code soft0}, and of a second one, {@code soft1}, that
 * shares nothing with it but memory: two devices of one process talk as two processes do.
 */
public final class SoftProvider implements VerbsProvider {
    /** One instance of each device per process: they stand for hardware. */
    private static final List<Device> DEVICES =
            List.of(new InstalledDevice("soft0"), new InstalledDevice("soft1"));

    /** For {@link java.util.ServiceLoader}. */
    public SoftProvider() {}

    @Override
    public String name() {
        return "soft";
    }

    @Override
    public List<Device> devices() {
        return DEVICES;
    }

    @Override
    public String status() {
        return "software devices for the processes of one user on one host";
    }
}
