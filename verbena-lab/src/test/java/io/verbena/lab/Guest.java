// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import io.verbena.verbs.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the lab's guest has. */
final class Guest {
    /** The soft-RoCE device. */
    static final String DEVICE = "rxe0";

    private static final Path GIDS = Path.of("/sys/class/infiniband", DEVICE, "ports/1/gids");

    private Guest() {}

    /** {@return the address of the device's network interface} */
    static String address() {
        return System.getenv().getOrDefault("VERBENA_LAB_ADDRESS", "10.77.0.1");
    }

    /** {@return the index of the device's identifier that is made of {@link #address()}} */
    static String gidIndex() throws IOException {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(InetAddress.getByName(address()).getAddress(), 0, mapped, 12, 4);
        Gid wanted = Gid.of(mapped);
        for (int index = 0; Files.exists(GIDS.resolve(Integer.toString(index))); index++) {
            String text = Files.readString(GIDS.resolve(Integer.toString(index))).strip();
            if (Gid.parse(text).equals(wanted)) {
                return Integer.toString(index);
            }
        }
        throw new AssertionError("no GID " + wanted + " in " + GIDS);
    }
}
