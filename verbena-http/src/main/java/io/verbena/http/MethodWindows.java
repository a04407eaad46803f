// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ServerMethod;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The windows of all methods of a server. Sampled by one thread, read by any. */
final class MethodWindows {
    private final Map<ServerMethod, MethodWindow> windows = new LinkedHashMap<>();
    private final LongSupplier clock;

    /**
     * Empty windows.
     *
     * @param methods the methods of the server
     * @param clock in nanoseconds
     */
    MethodWindows(Collection<ServerMethod> methods, LongSupplier clock) {
        this.clock = clock;
        long now = clock.getAsLong();
        methods.forEach(method -> windows.put(method, new MethodWindow(method.status(), now)));
    }

    /** Takes a sample of each; called once a second. */
    void sample() {
        long now = clock.getAsLong();
        windows.values().forEach(window -> window.sample(now));
    }

    Recent of(ServerMethod method) {
        return windows.get(method).recent();
    }
}
