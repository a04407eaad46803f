// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.ToolException;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;

/** The side that reads the client's data and writes it back, for one client. */
final class PingServer {
    /** What the C program calls the state of a connection that has ended. */
    private static final int DISCONNECTED = 10;

    private final Output output;
    private final Duration limit;

    PingServer(Output output, Duration limit) {
        this.output = output;
        this.limit = limit;
    }

    /**
     * Serves a client until it disconnects.
     *
     * @param request the client's request to connect; closed at the end
     * @throws ToolException if the client did anything else
     */
    void serve(ConnectionRequest request) throws InterruptedException {
        try (request;
                PingEndpoint endpoint =
                        new PingEndpoint(
                                "server",
                                request.identifier(),
                                request::awaitEvent,
                                output,
                                limit)) {
            // As long as a ping can be: the client says how long it is.
            MemoryRegion data = endpoint.allocate(PingData.LIMIT);
            output.step("accepting client connection request");
            request.accept(ConnectionParameters.DEFAULT, limit);
            Optional<Location> source = endpoint.tryReceive();
            while (source.isPresent()) {
                pong(endpoint, data, source.get());
                source = endpoint.tryReceive();
            }
            output.notice("wait for RDMA_READ_ADV state " + DISCONNECTED);
            endpoint.disconnect();
        }
    }

    private void pong(PingEndpoint endpoint, MemoryRegion data, Location source)
            throws InterruptedException {
        output.step("Received " + source + " from peer");
        int length = checkLength(source);
        endpoint.transfer(SendOpcode.RDMA_READ, data, length, source);
        output.step("server received read complete");
        MemorySegment ping = data.memory().asSlice(0, length);
        output.pingData("server ping data: " + PingData.text(ping));
        endpoint.send(Location.NOWHERE);
        output.step("server posted go ahead");

        Location sink = endpoint.receive("RDMA_WRITE_ADV");
        output.step("Received " + sink + " from peer");
        int answer = PingData.textLength(ping) + 1;
        if (Integer.compareUnsigned(sink.length(), answer) < 0) {
            throw new ToolException(
                    "length of the client's sink: "
                            + Integer.toUnsignedString(sink.length())
                            + " (expected: at least "
                            + answer
                            + ")");
        }
        endpoint.transfer(SendOpcode.RDMA_WRITE, data, answer, sink);
        output.step("server rdma write complete");
        endpoint.send(Location.NOWHERE);
        output.step("server posted go ahead");
    }

    private static int checkLength(Location source) {
        if (source.length() < 1 || source.length() > PingData.LIMIT) {
            throw new ToolException(
                    "length of the client's data: "
                            + Integer.toUnsignedString(source.length())
                            + " (expected: 1.."
                            + PingData.LIMIT
                            + ")");
        }
        return source.length();
    }
}
