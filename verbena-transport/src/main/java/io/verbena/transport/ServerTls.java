// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.DomainWildcardMappingBuilder;
import io.netty.util.Mapping;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates of a server, read from files and replaced by {@link #reload}. Any thread may
 * call any method.
 */
public final class ServerTls {
    private static final int MAX_CLIENT_HELLO = 64 << 10;

    private final ServerSslOptions options;
    private final List<String> applicationProtocols;
    private final TlsPeers peers;
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile Loaded loaded;

    /** What was read at one time. */
    private record Loaded(SslContext fallback, Optional<Mapping<String, SslContext>> byName) {}

    private ServerTls(ServerSslOptions options, List<String> applicationProtocols) {
        this.options = options;
        this.applicationProtocols = applicationProtocols;
        Optional<X509TrustManager> clients = trust(options);
        this.loaded = load(clients);
        this.peers = new TlsPeers(true, clients);
    }

    /**
     * {@return certificates that have been read}
     *
     * @param options where they are, and how they are used
     * @param spoken what the server speaks, by the names of ALPN, the preferred one first; the
     *     options may say otherwise
     * @throws IllegalArgumentException if a file cannot be used
     */
    public static ServerTls load(ServerSslOptions options, List<String> spoken) {
        return new ServerTls(
                options, options.alpns().isEmpty() ? List.copyOf(spoken) : options.alpns());
    }

    /** {@return the options it was made from} */
    public ServerSslOptions options() {
        return options;
    }

    /**
     * Reads all files again. New connections use what they say now, and none of them resumes a
     * session from before. The connections of clients whose certificates are not accepted any more
     * are cut.
     *
     * @throws IllegalArgumentException if a file cannot be used; then nothing has changed
     */
    void reload() {
        reloading.lock();
        try {
            Optional<X509TrustManager> clients = trust(options);
            loaded = load(clients);
            peers.replaceTrust(clients);
        } finally {
            reloading.unlock();
        }
    }

    private static Optional<X509TrustManager> trust(ServerSslOptions options) {
        return TrustedAuthorities.of(options.caFile(), options.crlFile());
    }

    TlsPeers peers() {
        return peers;
    }

    private Loaded load(Optional<X509TrustManager> clients) {
        SslContext fallback =
                TlsContexts.server(options, options.defaultCert(), clients, applicationProtocols);
        return new Loaded(
                fallback,
                options.certs().isEmpty()
                        ? Optional.empty()
                        : Optional.of(byName(clients, fallback)));
    }

    private Mapping<String, SslContext> byName(
            Optional<X509TrustManager> clients, SslContext fallback) {
        DomainWildcardMappingBuilder<Optional<SslContext>> names =
                new DomainWildcardMappingBuilder<>(Optional.empty());
        for (CertificateFiles files : options.certs()) {
            Optional<SslContext> context =
                    Optional.of(TlsContexts.server(options, files, clients, applicationProtocols));
            files.sniFilters().forEach(name -> names.add(name, context));
        }
        Mapping<String, Optional<SslContext>> found = names.build();
        return name -> found.map(name).orElseGet(() -> forUnknownName(fallback));
    }

    private SslContext forUnknownName(SslContext fallback) {
        if (options.isStrictSni()) {
            throw new IllegalArgumentException("server name: unknown (see strict_sni)");
        }
        return fallback;
    }

    /** {@return a handler for a new connection} */
    ChannelHandler handler(ByteBufAllocator allocator, long handshakeTimeoutMs) {
        Loaded now = loaded;
        if (now.byName().isEmpty()) {
            SslHandler handler = now.fallback().newHandler(allocator);
            handler.setHandshakeTimeoutMillis(handshakeTimeoutMs);
            return handler;
        }
        return new SniHandler(now.byName().get(), MAX_CLIENT_HELLO, handshakeTimeoutMs) {
            @Override
            protected SslHandler newSslHandler(SslContext context, ByteBufAllocator memory) {
                SslHandler handler = super.newSslHandler(context, memory);
                handler.setHandshakeTimeoutMillis(handshakeTimeoutMs);
                return handler;
            }
        };
    }
}
