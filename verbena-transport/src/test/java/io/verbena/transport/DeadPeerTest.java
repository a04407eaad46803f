// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.testing.ChildJvm;
import io.verbena.transport.rdma.DeviceUnderTest;
import io.verbena.transport.rdma.Domains;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that is killed in mid-stream, in both directions. */
class DeadPeerTest {
    private static final long ENOUGH = 2L << 20;

    /** Counts what comes and sends as much as it can. */
    private static final class Traffic implements ConnectionHandler {
        private final CountDownLatch enough = new CountDownLatch((int) (ENOUGH >> 10));
        private final CompletableFuture<TransportException> end = new CompletableFuture<>();
        private final BlockPool pool;
        private long bytes;

        Traffic(BlockPool pool) {
            this.pool = pool;
        }

        @Override
        public void onOpen(Connection connection) {
            Thread.ofVirtual().name("pump").start(() -> pump(connection));
        }

        private void pump(Connection connection) {
            while (!end.isDone()) {
                if (connection.unwrittenBytes() > 2 << 20) {
                    LockSupport.parkNanos(100_000);
                    continue;
                }
                IOBuf data = pool.buffer().append(new byte[100_000]);
                try {
                    connection.write(data);
                } catch (TransportException _) {
                    // refused because the connection has failed; why, onClose will say
                    data.close();
                    return;
                }
            }
        }

        @Override
        public void onData(Connection connection, IOBuf received) {
            bytes += received.size();
            received.clear();
            while (bytes >= 1024 && enough.getCount() > 0) {
                bytes -= 1024;
                enough.countDown();
            }
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {
            end.complete(reason);
        }
    }

    /** The peer. */
    static final class Child {
        private Child() {}

        /** Connects and sends until it is killed. */
        public static void main(String[] args) throws InterruptedException {
            RdmaDomain domain = new RdmaDomain(Domains.open(DeviceUnderTest.LEFT));
            Transport transport = Transport.over(domain, ConnectionFixture.FLAGS);
            InetSocketAddress address =
                    new InetSocketAddress(DeviceUnderTest.address(), Integer.parseInt(args[0]));
            new TransportClient(transport, SocketMode.RDMA)
                    .connect(address, new Traffic(domain.pool()));
            new CountDownLatch(1).await();
        }
    }

    @Test
    @Timeout(240)
    void shouldEndTheConnectionAndNothingElse() throws Exception {
        RdmaDomain domain =
                new RdmaDomain(Domains.open(DeviceUnderTest.LEFT, ConnectionFixture.FLAGS));
        Transport transport = Transport.over(domain, ConnectionFixture.FLAGS);
        Traffic traffic = new Traffic(domain.pool());
        TransportServer server =
                TransportServer.bind(
                        transport, SocketFixture.anyPort(), SocketMode.RDMA, () -> traffic);
        ChildJvm child = ChildJvm.start(Child.class, server.localAddress().getPort());
        try {
            assertThat(traffic.enough.await(120, TimeUnit.SECONDS)).as("the stream").isTrue();
            assertThat(server.connections()).allMatch(Connection::isRdma);

            child.destroy();
            TransportException end = traffic.end.get(20, TimeUnit.SECONDS);

            assertThat(end.error())
                    .isIn(TransportError.EEOF, TransportError.ECONNRESET, TransportError.ERDMA);
            Domains.await("the end", () -> domain.connections() == 0);
            Domains.await("blocks", () -> domain.pool().outstanding().isEmpty());
        } finally {
            child.close();
            server.close();
            transport.close();
            domain.close();
        }
    }
}
