// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Lists of servers as text: a server per line, as {@link ServerEntry} reads it, # for comments. */
final class Lines {
    private Lines() {}

    /**
     * {@return the servers of a text}
     *
     * @throws IllegalArgumentException if a line is malformed: a list that is half understood is
     *     worse than the one before
     */
    static List<ServerEntry> parse(List<String> lines) {
        List<ServerEntry> entries = new ArrayList<>();
        for (String line : lines) {
            int comment = line.indexOf('#');
            String text = comment < 0 ? line : line.substring(0, comment);
            if (!text.isBlank()) {
                entries.add(ServerEntry.parse(text));
            }
        }
        return entries;
    }

    /** {@return the line of a server} */
    static String line(ServerNode server) {
        InetAddress ip = server.address().getAddress();
        String host = ip.getHostAddress();
        return (ip instanceof Inet6Address ? "[" + host + "]" : host)
                + ":"
                + server.address().getPort()
                + (server.tag().isEmpty() ? "" : " " + server.tag())
                + (server.weight() == ServerNode.DEFAULT_WEIGHT ? "" : " w=" + server.weight());
    }
}
