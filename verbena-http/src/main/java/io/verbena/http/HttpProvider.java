// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;

/** Adds HTTP to every server of a process that has this module on its path. */
public final class HttpProvider implements ProtocolProvider {
    /** For {@link java.util.ServiceLoader}. */
    public HttpProvider() {}

    @Override
    public String name() {
        return "http";
    }

    @Override
    public boolean hasPages() {
        return true;
    }

    @Override
    public ServerProtocol open(ServerView server) {
        return HttpProtocol.open(server);
    }
}
