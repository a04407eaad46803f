// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportException;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What other threads ask for while the poller does what they have asked for before. */
class EndpointCallsTest {
    private final DeviceContext device = Devices.open(DeviceUnderTest.LEFT);
    private final CompletionChannel channel = device.createCompletionChannel();
    private final BlockPool pool = BlockPool.unregistered(BlockPoolOptions.DEFAULT);

    /** Its thread is not started: the test is the poller. */
    private final Dispatcher dispatcher =
            new Dispatcher("test", channel, pool, DispatcherOptions.of(Domains.FLAGS));

    private final List<String> done = new ArrayList<>();
    private final EndpointCalls calls = new EndpointCalls(dispatcher, new Target());

    /** What another thread does while the poller is busy with an event of the device. */
    private Runnable meanwhile = () -> {};

    @AfterEach
    void close() {
        dispatcher.onEnd();
        pool.close();
        channel.close();
        device.close();
    }

    private static final class Nobody implements RdmaEndpoint.Sink {
        @Override
        public void onOpen() {}

        @Override
        public void onData(IOBuf received) {}

        @Override
        public void onClose(TransportException reason) {}
    }

    private final class Target implements EndpointCalls.Target {
        @Override
        public void begin() {
            done.add("begin");
        }

        @Override
        public void open(RdmaEndpoint.Sink sink) {
            done.add("open");
        }

        @Override
        public void postOn() {
            done.add("post on");
        }

        @Override
        public void deviceEvent(String event) {
            done.add("device event");
            meanwhile.run();
        }

        @Override
        public void fail(TransportException cause) {
            done.add("fail");
        }

        @Override
        public void close(TransportException reason) {
            done.add("close");
        }

        @Override
        public void peerClosed(TransportException reason) {
            done.add("peer closed");
        }

        @Override
        public void end(TransportException reason) {
            done.add("end");
        }

        @Override
        public void endAsFailed() {
            done.add("end as failed");
        }

        @Override
        public void turnEnded() {
            done.add("turn ended");
        }

        @Override
        public void onFault(Throwable fault) {
            throw new AssertionError(fault);
        }
    }

    private void poll() {
        while (dispatcher.hasCalls()) {
            dispatcher.runCalls();
        }
    }

    /** Otherwise what had arrived by then would be dropped. */
    @Test
    void shouldOpenBeforeThePeersEnd() {
        meanwhile =
                () -> {
                    calls.open(new Nobody());
                    calls.peerClosed(EndpointPair.peerBye());
                };
        calls.begin();
        calls.deviceEvent("the first message");

        poll();

        assertThat(done).containsExactly("begin", "device event", "open", "peer closed");
    }

    /** Otherwise what was written before would be dropped. */
    @Test
    void shouldOpenBeforeTheClose() {
        meanwhile =
                () -> {
                    calls.open(new Nobody());
                    calls.close(EndpointPair.bye());
                };
        calls.deviceEvent("the first message");

        poll();

        assertThat(done).containsExactly("device event", "open", "close");
    }
}
