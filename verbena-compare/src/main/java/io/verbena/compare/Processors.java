// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.time.Duration;
import java.util.Optional;

/** The processor time of a contestant's two processes. The system counts it in steps of 10 ms. */
final class Processors {
    private final ProcessHandle server;

    /**
     * Of this process and another.
     *
     * @param serverPid the other one's process id
     */
    Processors(long serverPid) {
        Optional<ProcessHandle> found = ProcessHandle.of(serverPid);
        this.server =
                found.orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "serverPid: " + serverPid + " (expected: a process)"));
    }

    /** {@return what both processes have used so far, in nanoseconds; NaN where it is unknown} */
    double usedNs() {
        return usedNs(ProcessHandle.current()) + usedNs(server);
    }

    private static double usedNs(ProcessHandle process) {
        return process.info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .map(Long::doubleValue)
                .orElse(Double.NaN);
    }
}
