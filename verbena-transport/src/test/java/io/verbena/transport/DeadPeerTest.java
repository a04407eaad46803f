// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.AsciiString;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.rdma.DeviceUnderTest;
import io.verbena.transport.rdma.Domains;
import io.verbena.verbs.Devices;
import io.verbena.verbs.spi.VerbsProvider;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;

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
                } catch (TransportException e) {
                    data.close();
                    end.complete(e);
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
        Process child = start(server.localAddress().getPort());
        try {
            assertThat(traffic.enough.await(120, TimeUnit.SECONDS)).as("the stream").isTrue();
            assertThat(server.connections()).allMatch(Connection::isRdma);

            child.destroyForcibly();
            TransportException end = traffic.end.get(20, TimeUnit.SECONDS);

            assertThat(end.error())
                    .isIn(TransportError.EEOF, TransportError.ECONNRESET, TransportError.ERDMA);
            Domains.await("the end", () -> domain.connections() == 0);
            Domains.await("blocks", () -> domain.pool().outstanding().isEmpty());
        } finally {
            child.destroyForcibly();
            server.close();
            transport.close();
            domain.close();
        }
    }

    private static Process start(int port) throws IOException, ClassNotFoundException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath()));
        command.addAll(List.of(Child.class.getName(), "" + port));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Found by the classes, since a test may run on the class path or the module path. */
    private static String classPath() throws ClassNotFoundException {
        VerbsProvider soft =
                Devices.providers().stream()
                        .filter(provider -> provider.name().contains("soft"))
                        .findFirst()
                        .orElseThrow();
        return Stream.of(
                        Child.class,
                        Transport.class,
                        BlockPool.class,
                        Devices.class,
                        soft.getClass(),
                        Channel.class,
                        ByteBuf.class,
                        AsciiString.class,
                        // by name: Netty needs it, this module does not read it
                        Class.forName("io.netty.resolver.AddressResolver"),
                        Logger.class)
                .map(DeadPeerTest::root)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String root(Class<?> type) {
        String name = "/" + type.getName().replace('.', '/') + ".class";
        String address = type.getResource(name).toString();
        String root = address.substring(0, address.length() - name.length());
        if (root.startsWith("jar:")) {
            root = root.substring("jar:".length(), root.length() - "!".length());
        }
        try {
            return Path.of(new URI(root)).toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(root, e);
        }
    }
}
