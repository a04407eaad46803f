// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;

/**
 * Which device this side uses; the other side may use a different one.
 *
 * @param device its name; empty for the default
 * @param port its port, from 1
 * @param gidIndex which of the port's global identifiers; negative for the device's choice
 */
public record LocalPort(String device, int port, int gidIndex) {
    DeviceContext open() {
        return device.isEmpty() ? Devices.open() : Devices.open(device);
    }
}
