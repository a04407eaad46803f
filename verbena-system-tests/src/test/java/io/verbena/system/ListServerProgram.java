// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.rpc.spi.ServerEntry;
import io.verbena.testing.PlayedNameServer;
import io.verbena.testing.PlayedRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Serves lists of servers, which are files, until its standard input ends: as a web server, or as a
 * name server.
 */
public final class ListServerProgram {
    /** What it prints when it can be asked. */
    static final String READY = "ready";

    private static final String HOST = "host.cluster.test";
    private static final String SERVICES = "._tcp.cluster.test";

    private ListServerProgram() {}

    /** {@return the name of a list as a service in DNS} */
    static String service(String list) {
        return "_" + list + SERVICES;
    }

    /**
     * Serves until its standard input ends.
     *
     * @param args {@code dns} or {@code http}, the port, and the folder of the lists
     */
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[1]);
        Path folder = Path.of(args[2]);
        if (args[0].equals("dns")) {
            try (PlayedNameServer _ =
                    new PlayedNameServer(port, (name, type) -> records(folder, name, type))) {
                awaitEnd();
            }
        } else {
            try (PlayedRegistry _ =
                    new PlayedRegistry(port, asked -> page(folder, asked), Optional.empty())) {
                awaitEnd();
            }
        }
    }

    private static void awaitEnd() throws IOException {
        System.out.println(READY);
        while (System.in.read() >= 0) {
            // nothing to obey
        }
    }

    private static PlayedRegistry.Answer page(Path folder, PlayedRegistry.Request asked)
            throws IOException {
        String list = asked.line().substring("GET /".length());
        return PlayedRegistry.Answer.ok(Files.readString(folder.resolve(list)));
    }

    private static List<String> records(Path folder, String name, String type) throws IOException {
        if (name.equals(HOST)) {
            return type.equals("A") ? List.of("127.0.0.1") : List.of();
        }
        if (!type.equals("SRV")) {
            return List.of();
        }
        String list = name.substring(1, name.length() - SERVICES.length());
        return Files.readAllLines(folder.resolve(list)).stream()
                .map(line -> "0 1 " + ServerEntry.parse(line).port() + " " + HOST)
                .toList();
    }
}
