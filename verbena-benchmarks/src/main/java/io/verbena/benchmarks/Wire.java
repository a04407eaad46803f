// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;

/** How two queue pairs of this process reach each other. */
public enum Wire {
    /** Both queue pairs belong to one device. */
    IN_PROCESS("soft0", "soft0"),
    /** The queue pairs belong to two devices that share only memory, as two processes do. */
    SHARED_MEMORY("soft0", "soft1"),
    /**
     * Both belong to the kernel's soft-RoCE device of the lab; ask for it with {@code -p wire=}.
     */
    SOFT_ROCE("rxe0", "rxe0");

    private final String nearDevice;
    private final String farDevice;

    Wire(String nearDevice, String farDevice) {
        this.nearDevice = nearDevice;
        this.farDevice = farDevice;
    }

    DeviceContext openNear() {
        return Devices.open(nearDevice);
    }

    DeviceContext openFar() {
        return Devices.open(farDevice);
    }
}
