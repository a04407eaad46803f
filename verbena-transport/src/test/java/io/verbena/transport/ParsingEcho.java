// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import java.nio.charset.StandardCharsets;

/** Stands in for a server's RPC protocols: answers what begins with PRPC, fails on other bytes. */
public final class ParsingEcho extends RecordingHandler {
    private boolean isRecognised;

    @Override
    public void onData(Connection connection, IOBuf received) {
        if (!isRecognised && received.size() < 4) {
            return;
        }
        byte[] bytes = received.toByteArray();
        super.onData(connection, received);
        String text = new String(bytes, StandardCharsets.US_ASCII);
        if (!isRecognised && !text.startsWith("PRPC")) {
            connection.abort(new TransportException(TransportError.EPROTO, "unknown message"));
            return;
        }
        isRecognised = true;
        connection.write(received.pool().buffer().append(bytes));
    }
}
