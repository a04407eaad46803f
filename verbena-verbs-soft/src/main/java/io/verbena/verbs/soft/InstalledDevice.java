// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceContext;
import java.util.concurrent.locks.ReentrantLock;

/** A software device by name; it starts when it is first used. */
final class InstalledDevice implements Device {
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private SoftDevice running;

    InstalledDevice(String name) {
        this.name = name;
    }

    private SoftDevice running() {
        lock.lock();
        try {
            if (running == null) {
                running = SoftDevice.start(name);
            }
            return running;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String provider() {
        return "soft";
    }

    @Override
    public boolean isHardware() {
        return false;
    }

    @Override
    public long guid() {
        return running().guid();
    }

    @Override
    public DeviceContext open() {
        return new SoftDeviceContext(this, running());
    }

    @Override
    public String toString() {
        return name;
    }
}
