// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.http;

import io.verbena.rpc.server.Protocol;
import io.verbena.rpc.server.ServerConnection;

/** HTTP/1.1 on a port of a server. */
final class HttpProtocol implements Protocol {
    private final MessageCodec codec;
    private final Pages pages;
    private final boolean hasCalls;
    private final boolean hasPages;

    HttpProtocol(MessageCodec codec, Pages pages, boolean hasCalls, boolean hasPages) {
        this.codec = codec;
        this.pages = pages;
        this.hasCalls = hasCalls;
        this.hasPages = hasPages;
    }

    @Override
    public String name() {
        return "http";
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

    boolean hasCalls() {
        return hasCalls;
    }

    boolean hasPages() {
        return hasPages;
    }
}
