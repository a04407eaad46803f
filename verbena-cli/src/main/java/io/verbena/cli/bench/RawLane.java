// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The same in plain verbs: a send test with a server process of its own. */
final class RawLane implements StreamLane {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final ChildProcess server;
    private final Socket socket;
    private final BenchClient client;
    private final Lanes lanes;

    /**
     * A lane that is connected.
     *
     * @param test send_lat or send_bw
     * @param bytes the length of a message
     * @param device the device; empty for the default
     */
    RawLane(TestKind test, int bytes, String device, PrintWriter err)
            throws IOException, InterruptedException {
        this.server =
                ChildProcess.start(
                        test.id(),
                        BenchCommand.childArguments(test.id(), device),
                        line -> BenchCommand.printUnlessExpected(err, line));
        this.socket = new Socket();
        try {
            int port =
                    Integer.parseInt(server.awaitLine(BenchCommand.LISTENING, START_LIMIT).strip());
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            ControlLink link = new ControlLink(socket, "the server of " + test.id());
            this.client =
                    new BenchClient(
                            plan(test, bytes), new LocalPort(device, 1, 0), link, Optional.empty());
            this.lanes = client.connect(bytes);
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static Plan plan(TestKind test, int bytes) {
        return new Plan(
                test,
                List.of(bytes),
                0,
                0,
                1,
                test.isLatency() ? 1 : 16,
                512,
                Plan.WORKING_SET,
                -1,
                false,
                MemoryKind.DEVICE,
                AtomicKind.FETCH_AND_ADD,
                0);
    }

    @Override
    public Measurement run(int count) {
        return client.runLane(lanes, 0, count);
    }

    @Override
    public void close() {
        lanes.close();
        client.finish();
        client.close();
        server.close();
        try {
            socket.close();
        } catch (IOException e) {
            throw new BenchException("closing the link: " + e.getMessage(), e);
        }
    }
}
