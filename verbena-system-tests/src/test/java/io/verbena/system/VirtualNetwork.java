// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network namespace of Linux, joined to this one by a pair of virtual interfaces: a second host,
 * as far as the network is concerned, whose cable can be pulled.
 */
final class VirtualNetwork {
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Not used again: the kernel removes a namespace some time after it was asked to. */
    private final String name =
            "vb" + ProcessHandle.current().pid() + "x" + COUNT.incrementAndGet();

    private final String subnet = "10.213." + ProcessHandle.current().pid() % 250 + ".";

    /** Creates the namespace and joins it. */
    VirtualNetwork() throws IOException, InterruptedException {
        try {
            run("netns", "add", name);
            run("link", "add", near(), "type", "veth", "peer", "name", "eth0", "netns", name);
            run("addr", "add", subnet + "1/30", "dev", near());
            run("link", "set", near(), "up");
            run("-n", name, "addr", "add", subnet + "2/30", "dev", "eth0");
            run("-n", name, "link", "set", "eth0", "up");
            run("-n", name, "link", "set", "lo", "up");
        } catch (IOException e) {
            try {
                remove();
            } catch (IOException notThere) {
                e.addSuppressed(notThere);
            }
            throw e;
        }
    }

    /** {@return whether this process may make one} */
    static boolean isPossible() throws InterruptedException {
        String probe = "vbnprobe" + ProcessHandle.current().pid();
        try {
            run("netns", "add", probe);
            run("netns", "del", probe);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private String near() {
        return name + "n";
    }

    /** {@return the address of the second host} */
    String farAddress() {
        return subnet + "2";
    }

    /** {@return what to put before a command that is to run on the second host} */
    List<String> farPrefix() {
        return List.of("ip", "netns", "exec", name);
    }

    /** {@return the second host, for a registry} */
    RegistryHost far() {
        return new RegistryHost(farAddress(), farPrefix());
    }

    /** Pulls the cable, on the far side, so that this side is not told. */
    void cut() throws IOException, InterruptedException {
        run("-n", name, "link", "set", "eth0", "down");
    }

    /** Plugs it in again. */
    void mend() throws IOException, InterruptedException {
        run("-n", name, "link", "set", "eth0", "up");
    }

    private static void run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output.strip());
        }
    }

    /** Removes the interfaces, so that the subnet is free again, and the namespace. */
    void remove() throws IOException, InterruptedException {
        try {
            run("link", "del", near());
        } finally {
            run("netns", "del", name);
        }
    }
}
