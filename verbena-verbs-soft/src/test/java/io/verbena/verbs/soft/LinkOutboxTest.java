// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens on a link, as its other end sees it. */
@Timeout(60)
class LinkOutboxTest {
    private ServerSocketChannel peer;
    private LinkOutbox outbox;
    private Future<?> writer;
    private Future<?> watcher;

    @BeforeEach
    void open() throws IOException {
        peer = ServerSocketChannel.open();
        peer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        outbox = new LinkOutbox(() -> SocketChannel.open(peer.getLocalAddress()));
        writer = start(outbox::writeAll);
        watcher = start(outbox::watch);
    }

    @AfterEach
    void close() throws IOException {
        outbox.close();
        peer.close();
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private static Future<?> start(Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                step.run();
                                done.complete(null);
                            } catch (IOException | InterruptedException e) {
                                done.completeExceptionally(e);
                            }
                        });
        return done;
    }

    private static int read(SocketChannel from) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(1);
        return from.read(word) < 0 ? -1 : word.get(0);
    }

    private static ByteBuffer message(int word) {
        return ByteBuffer.wrap(new byte[] {(byte) word});
    }

    @Test
    void shouldWriteNothingBeforeItIsGreeted() throws Exception {
        outbox.offer(message(7));
        try (SocketChannel link = peer.accept()) {
            link.configureBlocking(false);
            assertThat(link.read(ByteBuffer.allocate(1))).isZero();

            link.configureBlocking(true);
            LinkOutbox.write(link, LinkCodec.greeting());
            assertThat(read(link)).isEqualTo(7);
        }
        watcher.get(20, TimeUnit.SECONDS);
    }

    /** A process without memory may accept a link and lose it, so that nobody ever closes it. */
    @Test
    void shouldOpenALinkAgainThatNobodyGreets() throws Exception {
        outbox.offer(message(7));
        try (SocketChannel lost = peer.accept();
                SocketChannel next = peer.accept()) {
            assertThat(read(lost)).isEqualTo(-1);

            LinkOutbox.write(next, LinkCodec.greeting());
            assertThat(read(next)).isEqualTo(7);
            outbox.offer(message(8));
            assertThat(read(next)).isEqualTo(8);
            assertThat(watcher.isDone()).isFalse();
        }
        watcher.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndBothThreadsWhenItIsClosed() throws Exception {
        try (SocketChannel link = peer.accept()) {
            outbox.close();

            assertThat(read(link)).isEqualTo(-1);
            writer.get(20, TimeUnit.SECONDS);
            assertThat(watcher).failsWithin(20, TimeUnit.SECONDS);
        }
    }
}
