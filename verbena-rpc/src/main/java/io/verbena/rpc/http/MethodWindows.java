// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.http;

import io.verbena.rpc.server.MethodRegistry;
import io.verbena.rpc.server.ServerMethod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The windows of all methods of a server. Sampled by one thread, read by any. */
final class MethodWindows {
    private final Map<ServerMethod, MethodWindow> windows = new LinkedHashMap<>();
    private final LongSupplier clock;

    /**
     * Windows that are empty.
     *
     * @param methods of the server
     * @param clock in nanoseconds
     */
    MethodWindows(MethodRegistry methods, LongSupplier clock) {
        this.clock = clock;
        long now = clock.getAsLong();
        methods.methods()
                .forEach(method -> windows.put(method, new MethodWindow(method.status(), now)));
    }

    /** {@return what ends it} Takes a sample each second. */
    Future<?> start(ScheduledExecutorService chores) {
        return chores.scheduleAtFixedRate(this::sample, 1, 1, TimeUnit.SECONDS);
    }

    void sample() {
        long now = clock.getAsLong();
        windows.values().forEach(window -> window.sample(now));
    }

    Recent of(ServerMethod method) {
        return windows.get(method).recent();
    }
}
