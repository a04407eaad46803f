// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.verbena.completion.Faults;
import io.verbena.completion.RareLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a listening socket does when it cannot accept, which almost always means that the process
 * has no file descriptors left: it says so, rarely, and tries again after a while. Clients that
 * have connected wait in the backlog meanwhile. The channel's event loop.
 */
@ChannelHandler.Sharable
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    /** At once it would fail again, at full speed. */
    static final long PAUSE_MS = 1000;

    private final RareLog log = new RareLog(AcceptFailures.class);
    private final String limit;

    /** Reads the limit now: without descriptors that would be impossible. */
    AcceptFailures() {
        this.limit = openFilesLimit();
    }

    private static String openFilesLimit() {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/self/limits"));
            return lines.stream()
                    .filter(line -> line.startsWith("Max open files"))
                    .map(
                            line ->
                                    line.substring("Max open files".length())
                                            .strip()
                                            .split(" ", -1)[0])
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** What follows may stop reading for a while, and then have no memory to plan its end. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        try {
            context.fireChannelRead(accepted);
        } finally {
            if (!context.channel().config().isAutoRead()) {
                resumeLater(context);
            }
        }
    }

    private static void resumeLater(ChannelHandlerContext context) {
        boolean isPlanned = false;
        try {
            plan(context);
            isPlanned = true;
        } finally {
            if (!isPlanned) {
                context.channel().config().setAutoRead(true);
            }
        }
    }

    private static void plan(ChannelHandlerContext context) {
        Future<?> _ =
                context.channel()
                        .eventLoop()
                        .schedule(
                                () -> context.channel().config().setAutoRead(true),
                                PAUSE_MS,
                                TimeUnit.MILLISECONDS);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // scheduled first: without memory for that, it must not stop either
        plan(context);
        context.channel().config().setAutoRead(false);
        log.warn(message(cause), context.channel().localAddress());
    }

    /** {@return what to print, and what to do} */
    String message(Throwable cause) {
        return "cannot accept connections, and tries again after "
                + PAUSE_MS
                + " ms: "
                + Faults.describe(cause)
                + "; the limit of open files (ulimit -n) is "
                + limit;
    }
}
