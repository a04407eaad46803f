// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;

/** Makes Netty's contexts from options. */
final class TlsContexts {
    private TlsContexts() {}

    /**
     * {@return a context for a server with one of its certificates}
     *
     * @param options how it is used
     * @param files the certificate
     * @param clients verifies clients
     * @param applicationProtocols the names of ALPN
     */
    static SslContext server(
            ServerSslOptions options,
            CertificateFiles files,
            Optional<X509TrustManager> clients,
            List<String> applicationProtocols) {
        check(files);
        SslContextBuilder builder =
                build(
                        () ->
                                SslContextBuilder.forServer(
                                        files.certificate().toFile(), files.privateKey().toFile()),
                        files);
        clients.ifPresent(builder::trustManager);
        builder.clientAuth(
                switch (options.clientAuth()) {
                    case NONE -> io.netty.handler.ssl.ClientAuth.NONE;
                    case OPTIONAL -> io.netty.handler.ssl.ClientAuth.OPTIONAL;
                    case REQUIRED -> io.netty.handler.ssl.ClientAuth.REQUIRE;
                });
        builder.sessionTimeout(options.sessionLifetimeS())
                .sessionCacheSize(options.sessionCacheSize());
        return finish(builder, options.protocols(), options.ciphers(), applicationProtocols);
    }

    /**
     * {@return a context for a client}
     *
     * @param options how it is used
     * @param servers verifies servers; empty means that the JDK decides
     */
    static SslContext client(ClientSslOptions options, Optional<X509TrustManager> servers) {
        SslContextBuilder builder = SslContextBuilder.forClient();
        servers.ifPresent(builder::trustManager);
        options.clientCert()
                .ifPresent(
                        files -> {
                            check(files);
                            build(
                                    () ->
                                            builder.keyManager(
                                                    files.certificate().toFile(),
                                                    files.privateKey().toFile()),
                                    files);
                        });
        builder.endpointIdentificationAlgorithm(options.isHostNameVerified() ? "HTTPS" : null);
        return finish(builder, options.protocols(), options.ciphers(), options.alpns());
    }

    private static void check(CertificateFiles files) {
        for (Path file : List.of(files.certificate(), files.privateKey())) {
            if (!Files.isReadable(file)) {
                throw new IllegalArgumentException(
                        "ssl_options: " + file + " (expected: a file that can be read)");
            }
        }
    }

    private interface Step {
        SslContextBuilder run();
    }

    private static SslContextBuilder build(Step step, CertificateFiles files) {
        try {
            return step.run();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "ssl_options: "
                            + files.certificate()
                            + ", "
                            + files.privateKey()
                            + " (expected: a certificate and its key in PEM, the key as PKCS#8)",
                    e);
        }
    }

    private static SslContext finish(
            SslContextBuilder builder,
            List<String> versions,
            List<String> ciphers,
            List<String> applicationProtocols) {
        if (versions.isEmpty() || !ServerSslOptions.PROTOCOLS.containsAll(versions)) {
            throw new IllegalArgumentException(
                    "protocols: "
                            + versions
                            + " (expected: some of "
                            + ServerSslOptions.PROTOCOLS
                            + "; older ones are broken)");
        }
        builder.sslProvider(SslProvider.JDK).protocols(versions);
        if (!ciphers.isEmpty()) {
            builder.ciphers(ciphers);
        }
        if (!applicationProtocols.isEmpty()) {
            // a peer that knows none of them is welcome: the first bytes say what it speaks
            builder.applicationProtocolConfig(
                    new ApplicationProtocolConfig(
                            Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT,
                            applicationProtocols));
        }
        try {
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "ssl_options: " + e.getMessage() + " (expected: what the JDK supports)", e);
        }
    }
}
