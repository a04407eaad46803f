// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports for servers that start later. They lie below those that the system gives to
 * connections, which would take a port as soon as it is free again.
 */
public final class FreePort {
    private static final int FIRST = 10_000;
    private static final int END = 30_000;

    private FreePort() {}

    /** {@return a TCP port that nobody uses now} */
    public static int choose() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException _) {
            // somebody has it
            return false;
        }
    }
}
