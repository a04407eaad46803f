// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.verbena.tools.ToolException;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.ServerSslOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * The certificate that systems with TLS are measured with. Its key is no secret: it is part of this
 * program, and proves nothing. Every system uses the JDK's provider, TLS 1.3 and one cipher suite.
 */
final class BenchCertificate {
    private static final List<String> VERSIONS = List.of("TLSv1.3");
    private static final List<String> CIPHERS = List.of("TLS_AES_128_GCM_SHA256");

    private final Path certificate;
    private final Path key;

    private BenchCertificate(Path certificate, Path key) {
        this.certificate = certificate;
        this.key = key;
    }

    static boolean isUsedBy(Contestant contestant) {
        return contestant.mode().equals("tls");
    }

    /** {@return the certificate, in files that are deleted when the process ends} */
    static BenchCertificate open() {
        return new BenchCertificate(copy("bench-certificate.pem"), copy("bench-key.pem"));
    }

    private static Path copy(String name) {
        try (InputStream resource = BenchCertificate.class.getResourceAsStream(name)) {
            Path file = Files.createTempFile("verbena", name);
            file.toFile().deleteOnExit();
            Files.copy(resource, file, StandardCopyOption.REPLACE_EXISTING);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ServerSslOptions server() {
        return ServerSslOptions.of(certificate, key).withProtocols(VERSIONS, CIPHERS);
    }

    ClientSslOptions client() {
        return ClientSslOptions.DEFAULT.withCaFile(certificate).withProtocols(VERSIONS, CIPHERS);
    }

    SslContext nettyServer() {
        return build(SslContextBuilder.forServer(certificate.toFile(), key.toFile()));
    }

    SslContext nettyClient() {
        return build(
                SslContextBuilder.forClient()
                        .trustManager(certificate.toFile())
                        .endpointIdentificationAlgorithm(null));
    }

    private static SslContext build(SslContextBuilder builder) {
        try {
            return builder.sslProvider(SslProvider.JDK)
                    .protocols(VERSIONS)
                    .ciphers(CIPHERS)
                    .build();
        } catch (SSLException e) {
            throw new ToolException("TLS: " + e.getMessage(), e);
        }
    }
}
