// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.DomainWildcardMappingBuilder;
import io.netty.util.Mapping;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates of a server, read from files and replaced by {@link #reload}. Any thread may
 * call any method.
 */
public final class ServerTls {
    private static final int MAX_CLIENT_HELLO = 64 << 10;

    private final ServerSslOptions options;
    private final List<String> applicationProtocols;
    private volatile Loaded loaded;

    /** What was read at one time. */
    private record Loaded(
            SslContext fallback,
            Optional<Mapping<String, SslContext>> byName,
            Optional<X509TrustManager> clients) {}

    private ServerTls(ServerSslOptions options, List<String> applicationProtocols) {
        this.options = options;
        this.applicationProtocols = applicationProtocols;
        this.loaded = load();
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
     * session from before. {@link TransportServer#reloadTls} also looks at the old connections.
     *
     * @throws IllegalArgumentException if a file cannot be used; then nothing has changed
     */
    void reload() {
        loaded = load();
    }

    private Loaded load() {
        SslContext fallback =
                TlsContexts.server(options, options.defaultCert(), applicationProtocols);
        return new Loaded(
                fallback,
                options.certs().isEmpty() ? Optional.empty() : Optional.of(byName(fallback)),
                options.caFile().map(TrustedAuthorities::of).flatMap(ServerTls::trust));
    }

    private static Optional<X509TrustManager> trust(javax.net.ssl.TrustManagerFactory factory) {
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager found) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    private Mapping<String, SslContext> byName(SslContext fallback) {
        DomainWildcardMappingBuilder<Optional<SslContext>> names =
                new DomainWildcardMappingBuilder<>(Optional.empty());
        for (CertificateFiles files : options.certs()) {
            Optional<SslContext> context =
                    Optional.of(TlsContexts.server(options, files, applicationProtocols));
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

    /** {@return whether a client that was verified earlier would be accepted now} */
    boolean isStillTrusted(TlsSession session) {
        Optional<X509TrustManager> clients = loaded.clients();
        List<X509Certificate> chain = session.peerCertificates();
        if (clients.isEmpty() || chain.isEmpty()) {
            return true;
        }
        try {
            clients.get()
                    .checkClientTrusted(
                            chain.toArray(X509Certificate[]::new),
                            chain.getFirst().getPublicKey().getAlgorithm());
            return true;
        } catch (CertificateException e) {
            return false;
        }
    }
}
