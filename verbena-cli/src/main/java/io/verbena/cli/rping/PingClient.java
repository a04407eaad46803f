// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.ToolException;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Connector;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The side that owns the data and compares what comes back. */
final class PingClient {
    private final Output output;
    private final Duration limit;
    private final int size;
    private final boolean validate;

    /**
     * A client that is not connected yet.
     *
     * @param output where to print
     * @param limit how long the server may be silent
     * @param size how many bytes a ping has
     * @param validate whether to compare what comes back
     */
    PingClient(Output output, Duration limit, int size, boolean validate) {
        this.output = output;
        this.limit = limit;
        this.size = size;
        this.validate = validate;
    }

    /**
     * Connects, pings and disconnects.
     *
     * @param context the device
     * @param server the server's address
     * @param count how many pings; 0 means forever
     */
    void run(DeviceContext context, InetSocketAddress server, int count)
            throws InterruptedException {
        try (Connector connector = Connector.resolve(context, server, limit);
                PingEndpoint endpoint =
                        new PingEndpoint(
                                "client",
                                connector.identifier(),
                                connector::awaitEvent,
                                output,
                                limit)) {
            output.step("rdma_resolve_addr - rdma_resolve_route successful");
            MemoryRegion source = endpoint.allocate(size);
            MemoryRegion sink = endpoint.allocate(size);
            connector.connect(ConnectionParameters.DEFAULT);
            output.step("rdma_connect successful");
            for (int ping = 0; count == 0 || ping < count; ping++) {
                source.memory().copyFrom(MemorySegment.ofArray(PingData.of(ping, size)));
                ping(endpoint, source, sink);
            }
            endpoint.disconnect();
        }
    }

    private void ping(PingEndpoint endpoint, MemoryRegion source, MemoryRegion sink)
            throws InterruptedException {
        say(endpoint, Location.of(source));
        endpoint.receive("RDMA_WRITE_ADV");
        say(endpoint, Location.of(sink));
        endpoint.receive("RDMA_WRITE_COMPLETE");
        if (validate && source.memory().mismatch(sink.memory()) >= 0) {
            throw new ToolException("data mismatch!");
        }
        output.pingData("ping data: " + PingData.text(sink.memory()));
    }

    private void say(PingEndpoint endpoint, Location location) {
        output.step("RDMA " + location);
        endpoint.send(location);
    }
}
