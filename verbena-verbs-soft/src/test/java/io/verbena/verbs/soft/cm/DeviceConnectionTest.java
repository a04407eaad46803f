// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The connection manager over the software device. */
class DeviceConnectionTest extends LifecycleScenarios {
    @Override
    DeviceContext openContext() {
        return openDevice0();
    }

    static DeviceContext openDevice0() {
        List<String> names = Devices.list().stream().map(Device::name).toList();
        Assumptions.assumeTrue(names.contains("soft0"), () -> "no soft0 among " + names);
        return Devices.open("soft0");
    }
}
