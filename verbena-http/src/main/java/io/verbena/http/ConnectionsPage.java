// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.Addresses;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionStatistics;
import java.util.Comparator;
import java.util.List;

/** The connections of the server's clients. */
final class ConnectionsPage implements Page {
    private static final List<String> COLUMNS =
            List.of(
                    "id",
                    "remote_side",
                    "local_side",
                    "transport",
                    "handshake",
                    "in_bytes",
                    "out_bytes",
                    "unwritten_bytes");

    @Override
    public String name() {
        return "connections";
    }

    @Override
    public String description() {
        return "clients of this server; details under /sockets/ID";
    }

    @Override
    public PageContent show(PageRequest request) {
        List<List<Object>> rows =
                request.server().connections().stream()
                        .sorted(Comparator.comparingLong(Connection::id))
                        .map(ConnectionsPage::row)
                        .toList();
        return new Document("connections").table("connections", COLUMNS, rows);
    }

    private static List<Object> row(Connection connection) {
        ConnectionStatistics now = connection.statistics();
        return List.of(
                new Document.Link(Long.toString(connection.id()), "/sockets/" + connection.id()),
                Addresses.text(connection.remoteAddress()),
                Addresses.text(connection.localAddress()),
                connection.isRdma() ? "rdma" : "tcp",
                now.handshakeState(),
                now.receivedBytes(),
                now.sentBytes(),
                now.unwrittenBytes());
    }
}
