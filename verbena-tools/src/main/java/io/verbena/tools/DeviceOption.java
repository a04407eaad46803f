// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import picocli.CommandLine.Option;

/** The option that chooses a device, for commands to mix in. */
public final class DeviceOption {
    @Option(
            names = {"-d", "--device"},
            paramLabel = "DEVICE",
            description = {
                "The device to use; 'verbena devices -l' lists them.",
                "Default: the first active hardware device, else the software device."
            })
    private String name = "";

    /** {@return the chosen device's name; empty if none was chosen} */
    public String name() {
        return name;
    }

    /** {@return the chosen device, opened; if none was chosen, that of {@link Devices#open()}} */
    public DeviceContext open() {
        return name.isEmpty() ? Devices.open() : Devices.open(name);
    }
}
