// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.DeviceContext;

/** Two processes over the software device. */
class DeviceTwoProcessTest extends TwoProcessScenarios {
    @Override
    DeviceContext openContext() {
        return DeviceConnectionTest.openDevice0();
    }

    @Override
    String folder() {
        return "";
    }
}
