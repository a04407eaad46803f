// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.X509TrustManager;

/**
 * What a client trusts and its own certificate, read from files and replaced by {@link #reload}.
 * Connections that share one also share sessions: later handshakes with the same server resume
 * them. Any thread may call any method.
 */
public final class ClientTls {
    private final ClientSslOptions options;
    private final TlsPeers peers;
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile SslContext context;

    private ClientTls(ClientSslOptions options) {
        Optional<X509TrustManager> trust = trust(options);
        this.options = options;
        this.context = TlsContexts.client(options, trust);
        this.peers = new TlsPeers(false, trust);
    }

    /**
     * {@return certificates that have been read}
     *
     * @param options where they are, and how they are used
     * @throws IllegalArgumentException if a file cannot be used
     */
    public static ClientTls load(ClientSslOptions options) {
        return new ClientTls(options);
    }

    /** {@return the options it was made from} */
    public ClientSslOptions options() {
        return options;
    }

    /**
     * Reads all files again. New connections use what they say now; the connections to servers
     * whose certificates are not accepted any more are cut.
     *
     * @throws IllegalArgumentException if a file cannot be used; then nothing has changed
     */
    public void reload() {
        reloading.lock();
        try {
            Optional<X509TrustManager> trust = trust(options);
            context = TlsContexts.client(options, trust);
            peers.replaceTrust(trust);
        } finally {
            reloading.unlock();
        }
    }

    private static Optional<X509TrustManager> trust(ClientSslOptions options) {
        return TrustedAuthorities.of(options.caFile(), options.crlFile());
    }

    TlsPeers peers() {
        return peers;
    }

    /** {@return a handler for a connection to a server} */
    SslHandler handler(
            ByteBufAllocator allocator, InetSocketAddress server, long handshakeTimeoutMs) {
        String name = options.sniName().isEmpty() ? server.getHostString() : options.sniName();
        SslHandler handler = context.newHandler(allocator, name, server.getPort());
        handler.setHandshakeTimeoutMillis(handshakeTimeoutMs);
        return handler;
    }
}
