// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Report;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.function.Consumer;

/** One of the two sides of a test of plain verbs. */
public final class VerbsSide {
    private final LocalPort local;

    /**
     * A side.
     *
     * @param local which device it uses
     */
    public VerbsSide(LocalPort local) {
        this.local = local;
    }

    /**
     * The client: measures, and prints each part of the report as soon as it is ready.
     *
     * @param plan what to measure
     * @param server where the server listens
     * @param name the server's name in messages
     * @param perftest perftest to compare with, if wanted
     * @param printer receives the parts of the report
     */
    public void measure(
            TestPlan plan,
            InetSocketAddress server,
            String name,
            Optional<Perftest> perftest,
            Consumer<Report> printer) {
        try (ControlLink link = ControlLink.connect(server, name)) {
            link.reportingFailure(
                    () -> {
                        try (TestClient client = new TestClient(plan, local, link, perftest)) {
                            client.run(printer);
                        }
                    });
        }
    }

    /** Fails if there is no such device, so that a server need not wait for a client to say so. */
    public void checkDevice() {
        local.open().close();
    }

    /**
     * The server: does what one client asks.
     *
     * @param test the test that the client must ask for
     * @param listener where the client connects
     * @throws IOException if no client can connect
     */
    public void serve(TestKind test, ServerSocket listener) throws IOException {
        try (ControlLink link = new ControlLink(listener.accept(), "the client")) {
            link.reportingFailure(
                    () -> {
                        try (TestServer server = new TestServer(test, local, link)) {
                            server.run();
                        }
                    });
        }
    }
}
