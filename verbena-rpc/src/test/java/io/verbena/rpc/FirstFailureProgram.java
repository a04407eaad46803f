// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.testing.FullHeap;
import io.verbena.transport.SocketMode;
import java.util.Properties;

/**
 * Uses classes that report failures with ever more memory, so that each step of that is the one
 * that fails, and then with enough. A node was opened before. Its argument is the class.
 */
final class FirstFailureProgram {
    static final String USABLE = "usable";

    private static final int MOST_BYTES = 1 << 18;

    @SuppressWarnings("unused") // keeps the memory
    private static byte[] reserve = {};

    private FirstFailureProgram() {}

    static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        try (RpcNode _ = RpcNode.open(SocketMode.TCP, new Properties())) {
            Runnable use =
                    () -> {
                        reserve = null;
                        initialize(name);
                    };
            for (int bytes = Long.BYTES; bytes < MOST_BYTES; bytes *= 2) {
                reserve = new byte[bytes];
                var _ = FullHeap.run(use);
            }

            initialize(name);
            System.out.println(USABLE);
        }
    }

    private static void initialize(String name) {
        try {
            Class<?> _ = Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
