// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ClientView;
import io.verbena.transport.ClientTls;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A channel, as a protocol other than {@code baidu_std} sees it. */
record ChannelView(
        Transport transport,
        ChannelOptions options,
        ServerSelector servers,
        LongSupplier maxBody,
        Optional<ClientTls> tls)
        implements ClientView {
    @Override
    public SocketMode socketMode() {
        return options.socketMode();
    }

    @Override
    public int connectTimeoutMs() {
        return options.connectTimeoutMs();
    }

    @Override
    public long maxBodyBytes() {
        return maxBody.getAsLong();
    }

    @Override
    public byte[] credential() {
        return options.auth().map(Authenticator::generateCredential).orElseGet(() -> new byte[0]);
    }

    @Override
    public boolean isListed(InetSocketAddress server) {
        return servers.isListed(server);
    }

    @Override
    public void onUnreachable(InetSocketAddress server, TransportException reason) {
        for (Target target : servers.targets()) {
            if (target.node().address().equals(server)) {
                target.server().onUnreachable(reason);
            }
        }
    }
}
