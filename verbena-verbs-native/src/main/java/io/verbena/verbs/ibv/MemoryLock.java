// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.MemorySegment;

/** How much memory the process may pin: {@code RLIMIT_MEMLOCK}. */
final class MemoryLock {
    private static final long UNLIMITED = -1;

    private MemoryLock() {}

    /** {@return what to do when the kernel refuses to pin memory} */
    static String advice(NativeCall call) {
        MemorySegment limit = call.allocate(LinuxLayout.RLIMIT);
        int result = Libc.getrlimit(call, LinuxLayout.RLIMIT_MEMLOCK.value(), limit.address());
        if (result != 0) {
            return "memory cannot be pinned; see ulimit -l";
        }
        long bytes = LinuxLayout.RLIMIT_CURRENT.get(limit);
        if (bytes == UNLIMITED) {
            return "there is not enough free memory to pin (RLIMIT_MEMLOCK is unlimited)";
        }
        return "RLIMIT_MEMLOCK is "
                + bytes
                + " bytes in all; raise it: ulimit -l unlimited, LimitMEMLOCK=infinity in a systemd"
                + " unit, --ulimit memlock=-1 for a container, or memlock in"
                + " /etc/security/limits.conf";
    }
}
