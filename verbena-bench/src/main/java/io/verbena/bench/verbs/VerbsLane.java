// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.tools.ChildServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** Plain verbs, to compare with a layer above; has a server process of its own. */
public final class VerbsLane implements Lane {
    private final ChildServer server;
    private final ControlLink link;
    private final TestClient client;
    private final SizedPairs pairs;

    /**
     * A lane that is connected.
     *
     * @param test what its messages do
     * @param bytes the length of a message
     * @param options the device, and how the server is started
     * @throws InterruptedException if the thread was interrupted
     */
    public VerbsLane(TestKind test, int bytes, BenchOptions options) throws InterruptedException {
        this.server = options.startServer(test.id(), "--listen");
        try {
            this.link =
                    ControlLink.connect(
                            new InetSocketAddress(
                                    InetAddress.getLoopbackAddress(), server.awaitPort()),
                            "the server of " + test.id());
            LocalPort local = new LocalPort(options.device(), 1, 0);
            this.client = new TestClient(plan(test, bytes), local, link, Optional.empty());
            this.pairs = client.connect(bytes);
        } catch (InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static TestPlan plan(TestKind test, int bytes) {
        return new TestPlan(
                test,
                List.of(bytes),
                0,
                0,
                1,
                test.isLatency() ? 1 : 16,
                512,
                1,
                TestPlan.WORKING_SET,
                -1,
                false,
                BufferMemory.DEVICE,
                AtomicKind.FETCH_AND_ADD,
                0);
    }

    @Override
    public Measurement run(int count) {
        return client.run(pairs, 0, count);
    }

    @Override
    public void close() {
        pairs.close();
        client.finish();
        client.close();
        server.close();
        link.close();
    }
}
