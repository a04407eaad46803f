// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import io.verbena.transport.handshake.RawPeer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A listening socket whose accepts fail. */
class AcceptFailuresTest {
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicInteger accepts = new AtomicInteger();

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 20, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static final class Greeter extends ChannelInboundHandlerAdapter {
        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            var _ =
                    context.writeAndFlush(
                            Unpooled.copiedBuffer("hello", StandardCharsets.US_ASCII));
        }
    }

    private Channel listen(Thrown thrown) {
        return new ServerBootstrap()
                .group(loops)
                .channelFactory(
                        () ->
                                new ListeningChannel() {
                                    @Override
                                    protected int doReadMessages(List<Object> made)
                                            throws Exception {
                                        if (accepts.getAndIncrement() == 0) {
                                            thrown.raise();
                                        }
                                        return super.doReadMessages(made);
                                    }
                                })
                .handler(new AcceptFailures())
                .childHandler(new Greeter())
                .bind(SocketFixture.anyPort())
                .syncUninterruptibly()
                .channel();
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldAcceptAgainWhateverAcceptHasThrown(Thrown thrown) throws Exception {
        Channel listener = listen(thrown);

        try (RawPeer peer = RawPeer.connect((InetSocketAddress) listener.localAddress())) {
            assertThat(peer.readText(5)).isEqualTo("hello");
        }
        assertThat(accepts).hasValueGreaterThan(1);
    }

    /** As Netty's own acceptor is left when it cannot plan to go on. */
    private static final class Pausing extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            context.channel().config().setAutoRead(false);
            throw new OutOfMemoryError("injected");
        }
    }

    @Test
    void shouldAcceptAgainWhenWhatFollowsHasPausedForEver() {
        EmbeddedChannel listener = new EmbeddedChannel(new AcceptFailures(), new Pausing());
        try {
            listener.freezeTime();
            listener.pipeline().fireChannelRead("accepted");
            assertThat(listener.config().isAutoRead()).isFalse();

            listener.advanceTimeBy(AcceptFailures.PAUSE_MS, TimeUnit.MILLISECONDS);
            listener.runScheduledPendingTasks();

            assertThat(listener.config().isAutoRead()).isTrue();
        } finally {
            var _ = listener.close();
        }
    }

    @Test
    void shouldAcceptAgainWhenNobodyEndsAPause() throws Exception {
        Listener listener = Listener.bind(loops, new Greeter(), SocketFixture.anyPort());

        var _ = listener.channel().config().setAutoRead(false);

        try (RawPeer peer = RawPeer.connect(listener.address())) {
            assertThat(peer.readText(5)).isEqualTo("hello");
        } finally {
            var _ = listener.close().syncUninterruptibly();
        }
    }

    @Test
    void shouldBindAgainWhenItsChannelWasClosed() throws Exception {
        Listener listener = Listener.bind(loops, new Greeter(), SocketFixture.anyPort());

        Channel first = listener.channel();
        var _ = first.close().syncUninterruptibly();

        Eventually.become(() -> listener.channel().isActive(), listener::address);
        try (RawPeer peer = RawPeer.connect(listener.address())) {
            assertThat(peer.readText(5)).isEqualTo("hello");
        }
        assertThat(listener.channel()).isNotEqualTo(first);
        var _ = listener.close().syncUninterruptibly();
    }

    @Test
    void shouldBindAgainAsSoonAsTheAddressIsFree() throws Exception {
        Listener listener = Listener.bind(loops, new Greeter(), SocketFixture.anyPort());
        CompletableFuture<Void> taken = new CompletableFuture<>();
        try (ServerSocket other = new ServerSocket()) {
            other.setReuseAddress(true);
            // again if it was quicker, on a busy machine
            Eventually.become(
                    () -> {
                        var _ = listener.channel().close().syncUninterruptibly();
                        return isBound(other, listener.address());
                    },
                    listener::address);
            Channel closed = listener.channel();
            // tried once, in vain
            var _ = loops.schedule(() -> taken.complete(null), 1100, TimeUnit.MILLISECONDS);
            taken.get(20, TimeUnit.SECONDS);
            assertThat(listener.channel()).isEqualTo(closed);
        }

        Eventually.become(() -> listener.channel().isActive(), listener::address);
        var _ = listener.close().syncUninterruptibly();
    }

    private static boolean isBound(ServerSocket socket, InetSocketAddress address) {
        try {
            socket.bind(address);
            return true;
        } catch (IOException e) {
            return false; // the loop has yet to let it go
        }
    }

    @Test
    void shouldStayClosedWhenItsOwnerHasClosedIt() throws Exception {
        Listener listener = Listener.bind(loops, new Greeter(), SocketFixture.anyPort());
        CompletableFuture<Void> later = new CompletableFuture<>();

        var _ = listener.close().syncUninterruptibly();

        var _ = loops.schedule(() -> later.complete(null), 1200, TimeUnit.MILLISECONDS);
        later.get(20, TimeUnit.SECONDS);
        assertThat(listener.channel().isActive()).isFalse();
    }
}
