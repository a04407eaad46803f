// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.RoundsOption;
import io.verbena.tools.ChildServer;
import io.verbena.tools.ParentWatch;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena bench stream}: measures the transport between two processes. */
@Command(
        name = "stream",
        description = {
            "Measure byte streams of the transport between two processes, handshake included: an"
                    + " echo and long writes, over RDMA compared with plain verbs, and over TCP"
                    + " compared with plain Netty.",
            "Flags of the transport and the memory pool are set as system properties, for example"
                    + " VERBENA_JAVA_OPTS=-Drdma_spin_us=0."
        })
public final class StreamCommand implements Callable<Integer> {
    @Mixin private BenchOptions options;

    @Mixin private RoundsOption rounds;

    @Mixin private StreamSizes sizes;

    /** A command that picocli fills in and runs. */
    public StreamCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (options.isChild()) {
            serve();
        } else {
            measure();
        }
        return 0;
    }

    private void serve() throws InterruptedException {
        ParentWatch.start();
        try (StreamServer server = new StreamServer(new StreamTransport(options.device()))) {
            ChildServer.announce(options.out(), server.port() + " " + server.nettyPort());
            // ends with its parent
            new CountDownLatch(1).await();
        }
    }

    private void measure() throws InterruptedException {
        try (ChildServer server = options.startServer("stream");
                StreamTransport shared = new StreamTransport(options.device())) {
            List<Integer> ports = server.awaitPorts();
            try (StreamClient client =
                    new StreamClient(sizes, shared, ports.getFirst(), ports.getLast())) {
                options.print(client.measure(rounds.plan(), options));
            }
        }
    }
}
