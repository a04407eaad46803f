// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.verbena.completion.Faults;
import io.verbena.completion.Notices;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of a server. If its channel is closed by anything but its owner, it is bound again, with
 * pauses, until that works: nobody else watches it, and registries would go on listing a server
 * that cannot be reached. Any thread may call any method.
 */
final class Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 1024;

    /** How long a port stays closed before it is bound again. */
    private static final long PAUSE_MS = 1000;

    private final ServerBootstrap bootstrap;
    private volatile Channel channel;
    private volatile InetSocketAddress address;
    private volatile boolean isClosed;

    private Listener(EventLoopGroup loops, ChannelHandler accepted) {
        this.bootstrap =
                new ServerBootstrap()
                        .group(loops)
                        .channelFactory(ListeningChannel::new)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .handler(new AcceptFailures())
                        .childHandler(accepted);
    }

    /**
     * {@return a port that accepts connections}
     *
     * @param loops serve it and its connections
     * @param accepted prepares the channels of connections
     * @param address where it listens; port 0 takes any free one
     * @throws TransportException if the address cannot be bound
     */
    static Listener bind(EventLoopGroup loops, ChannelHandler accepted, InetSocketAddress address) {
        Listener made = new Listener(loops, accepted);
        ChannelFuture bound = made.bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw SocketFailure.of("bind " + address, bound.cause());
        }
        made.address = (InetSocketAddress) bound.channel().localAddress();
        made.listen(bound.channel());
        return made;
    }

    private void listen(Channel bound) {
        channel = bound;
        watch(bound);
        bound.closeFuture().addListener(_ -> onChannelClosed(bound.eventLoop()));
        if (isClosed) {
            // its owner may have closed the one before
            ChannelFuture _ = bound.close();
        }
    }

    /**
     * Looks now and then whether it still reads: going on after a pause takes memory, and if there
     * was none, nothing else would ever try again.
     */
    private void watch(Channel bound) {
        Future<?> looks =
                bound.eventLoop()
                        .scheduleAtFixedRate(
                                new Look(bound), PAUSE_MS, PAUSE_MS, TimeUnit.MILLISECONDS);
        bound.closeFuture().addListener(_ -> looks.cancel(false));
    }

    private static final class Look implements Runnable {
        /** A pause is over before the second look. */
        private static final int MOST_PAUSED = 2;

        private final Channel bound;
        private int paused;

        Look(Channel bound) {
            this.bound = bound;
        }

        @Override
        public void run() {
            try {
                if (!bound.config().isAutoRead() && ++paused < MOST_PAUSED) {
                    return;
                }
                paused = 0;
                bound.config().setAutoRead(true);
                // without any effect if it reads already
                Channel _ = bound.read();
            } catch (Throwable e) { // the next look may find what was missing
                Faults.warn(Listener.class, "it may not accept connections", bound, e);
            }
        }
    }

    private void onChannelClosed(EventLoop loop) {
        if (!isClosed && !loop.isShuttingDown()) {
            Notices.warn(
                    Listener.class,
                    address
                            + " was closed, although its server was not; it is bound again every "
                            + PAUSE_MS
                            + " ms until that works");
            bindLater(loop);
        }
    }

    private void bindLater(EventLoop loop) {
        try {
            Future<?> _ = loop.schedule(() -> bindAgain(loop), PAUSE_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: the transport is closed", address, e);
        }
    }

    private void bindAgain(EventLoop loop) {
        if (isClosed) {
            return;
        }
        try {
            ChannelFuture bound = bootstrap.bind(address);
            bound.addListener(result -> onBound(loop, bound.channel(), result));
        } catch (Throwable e) { // what was missing may be there next time
            LOG.debug("{} cannot be bound", address, e);
            bindLater(loop);
        }
    }

    private void onBound(EventLoop loop, Channel bound, Future<? super Void> result) {
        if (result.isSuccess()) {
            LOG.info("{} is bound again", address);
            listen(bound);
        } else {
            LOG.debug("{} cannot be bound", address, result.cause());
            bindLater(loop);
        }
    }

    /** {@return where it listens, or did, with the port it got} */
    InetSocketAddress address() {
        return address;
    }

    /** {@return the channel that listens, or the last one that did} */
    Channel channel() {
        return channel;
    }

    /** Closes it for good; {@return completes when it is closed} */
    ChannelFuture close() {
        isClosed = true;
        return channel.close();
    }
}
