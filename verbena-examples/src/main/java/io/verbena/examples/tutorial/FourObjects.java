// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples.tutorial;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import java.io.PrintStream;

/** Chapter 1: the four objects, and why there is a protection domain. */
public final class FourObjects {
    private static final int SIZE = 64;

    private FourObjects() {}

    /**
     * Runs on the device that is chosen by default.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        run(System.out);
    }

    static void run(PrintStream out) {
        try (TwoPairs pairs = new TwoPairs()) {
            ProtectionDomain domain = pairs.domain();
            MemoryRegion region = domain.allocate(SIZE, AccessFlag.LOCAL_WRITE);
            out.println("queue pair: " + pairs.left().state() + ", not connected");
            out.println("memory region: " + region.length() + " bytes, " + region.access());

            ConnectionSettings settings = ConnectionSettings.of(AccessFlag.REMOTE_WRITE);
            pairs.left().connect(pairs.address(pairs.right()), settings);
            pairs.right().connect(pairs.address(pairs.left()), settings);
            out.println("queue pair: " + pairs.left().state() + ", connected");

            // A queue pair may use the memory of its own protection domain only.
            ProtectionDomain other = pairs.context().allocateProtectionDomain();
            MemoryRegion foreign = other.allocate(SIZE, AccessFlag.LOCAL_WRITE);
            SendWorkRequest request =
                    SendWorkRequest.allocate(pairs.arena(), 1)
                            .opcode(SendOpcode.SEND)
                            .element(foreign, 0, SIZE);
            pairs.left().postSend(request);
            out.println("memory of another domain: " + pairs.await().status());
            out.println("queue pair: " + pairs.left().state());
        }
    }
}
