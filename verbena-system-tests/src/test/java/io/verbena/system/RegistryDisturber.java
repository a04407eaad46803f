// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.testing.Signals;
import java.util.Random;

/** Kills and stops a registry in turn, and has it go on after some seconds. One thread. */
final class RegistryDisturber {
    private static final int PAUSE_MS = 10_000;
    private static final int OUTAGE_MS = 5_000;

    private final RegistryProcess registry;
    private final Random random;
    private int kills;
    private int stops;

    RegistryDisturber(RegistryProcess registry, long seed) {
        this.registry = registry;
        this.random = new Random(seed);
    }

    void disturbUntil(long endNs) throws InterruptedException {
        while (System.nanoTime() - endNs < 0) {
            SteadyLoad.pauseMs(PAUSE_MS + random.nextInt(PAUSE_MS));
            if (kills <= stops) {
                kills++;
                registry.kill();
                SteadyLoad.pauseMs(random.nextInt(OUTAGE_MS));
                registry.start();
            } else {
                stops++;
                Signals.stop(registry.pid());
                SteadyLoad.pauseMs(random.nextInt(OUTAGE_MS));
                Signals.resume(registry.pid());
            }
        }
    }

    @Override
    public String toString() {
        return "{KILL=" + kills + ", STOP=" + stops + "}";
    }
}
