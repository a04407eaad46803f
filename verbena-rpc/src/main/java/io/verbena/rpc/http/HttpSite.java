// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.http;

import io.verbena.rpc.server.Protocol;
import io.verbena.rpc.server.ServerView;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;

/** What a server offers by HTTP, on one port or on two. */
public final class HttpSite implements AutoCloseable {
    private final MessageCodec codec;
    private final Pages pages;
    private final Future<?> sampling;

    private HttpSite(MessageCodec codec, Pages pages, Future<?> sampling) {
        this.codec = codec;
        this.pages = pages;
        this.sampling = sampling;
    }

    /**
     * {@return the site of a server}
     *
     * @param server the server
     * @param chores where samples of its methods are taken, each second
     */
    public static HttpSite open(ServerView server, ScheduledExecutorService chores) {
        MethodWindows windows = new MethodWindows(server.methods(), System::nanoTime);
        return new HttpSite(
                new MessageCodec(server.methods().services()),
                new Pages(server, windows),
                windows.start(chores));
    }

    /**
     * {@return HTTP on a port}
     *
     * @param hasCalls whether services can be called there
     * @param hasPages whether pages can be seen there
     */
    public Protocol protocol(boolean hasCalls, boolean hasPages) {
        return new HttpProtocol(codec, pages, hasCalls, hasPages);
    }

    /** Takes no more samples. */
    @Override
    public void close() {
        sampling.cancel(false);
    }
}
