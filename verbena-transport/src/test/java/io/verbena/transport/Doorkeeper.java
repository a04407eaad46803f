// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;

/** Echoes. Admits peers that send an exclamation mark, renews those with a question mark. */
public final class Doorkeeper implements ConnectionHandler {
    @Override
    public boolean admitsPeers() {
        return true;
    }

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onData(Connection connection, IOBuf received) {
        if (received.toText().contains("!")) {
            connection.admit();
        } else if (received.toText().contains("?")) {
            connection.renew();
        }
        connection.write(received);
    }

    @Override
    public void onClose(Connection connection, TransportException reason) {}
}
