// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;
import java.util.concurrent.Future;

/** HTTP/1.1 for one server, on all its ports. */
final class HttpProtocol implements ServerProtocol {
    private final MessageCodec codec;
    private final Pages pages;
    private final Future<?> sampling;

    private HttpProtocol(MessageCodec codec, Pages pages, Future<?> sampling) {
        this.codec = codec;
        this.pages = pages;
        this.sampling = sampling;
    }

    /** {@return HTTP for a server; from now on its methods are sampled every second} */
    static HttpProtocol open(ServerView server) {
        MethodWindows windows = new MethodWindows(server.methods(), System::nanoTime);
        return new HttpProtocol(
                new MessageCodec(server.services()),
                new Pages(server, windows),
                server.everySecond(windows::sample));
    }

    @Override
    public Parser parser(ServerConnection connection) {
        return new HttpSession(connection, this, HttpLimits.DEFAULT);
    }

    MessageCodec codec() {
        return codec;
    }

    Pages pages() {
        return pages;
    }

    /** Takes no more samples. */
    @Override
    public void close() {
        sampling.cancel(false);
    }
}
