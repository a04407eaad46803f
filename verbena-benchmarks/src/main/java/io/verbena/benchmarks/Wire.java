// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;

/** How two software devices of this process reach each other. */
public enum Wire {
    /** Both queue pairs belong to one device. */
    IN_PROCESS("soft0"),
    /** The queue pairs belong to two devices that share only memory, as two processes do. */
    SHARED_MEMORY("soft1");

    private final String farDevice;

    Wire(String farDevice) {
        this.farDevice = farDevice;
    }

    DeviceContext openNear() {
        return Devices.open("soft0");
    }

    DeviceContext openFar() {
        return Devices.open(farDevice);
    }
}
