// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.testing.FullHeap;

/**
 * Tries to start a virtual thread with ever more memory, so that each step of that is the one that
 * fails, and then with enough.
 */
final class FirstVirtualThreadProgram {
    static final String STARTED = "started";

    private static final int MOST_BYTES = 1 << 18;

    @SuppressWarnings("unused") // keeps the memory
    private static byte[] reserve = {};

    private FirstVirtualThreadProgram() {}

    static void main(String[] arguments) throws Exception {
        VirtualThreads.prepare();
        Runnable nothing = () -> {};
        Runnable tryToStart =
                () -> {
                    reserve = null;
                    Thread _ = start(nothing);
                };
        for (int bytes = Long.BYTES; bytes < MOST_BYTES; bytes *= 2) {
            reserve = new byte[bytes];
            var _ = FullHeap.run(tryToStart);
        }

        start(nothing).join();
        System.out.println(STARTED);
    }

    private static Thread start(Runnable task) {
        return Thread.ofVirtual().name("test-first").start(task);
    }
}
