// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.warn(message(cause), context.channel().localAddress());
        context.channel().config().setAutoRead(false);
        var _ =
                context.channel()
                        .eventLoop()
                        .schedule(
                                () -> context.channel().config().setAutoRead(true),
                                PAUSE_MS,
                                TimeUnit.MILLISECONDS);
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
