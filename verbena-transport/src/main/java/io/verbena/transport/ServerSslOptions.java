// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a server speaks TLS; brpc's {@code ServerSSLOptions}. Immutable.
 *
 * @param defaultCert the certificate of the server
 * @param certs further certificates, for the host names in their filters
 * @param isStrictSni whether clients that ask for a name without a certificate are refused; others
 *     get the default one
 * @param clientAuth whether clients need a certificate
 * @param caFile a PEM file with the authorities that sign clients' certificates; brpc's {@code
 *     ca_file_path}
 * @param crlFile a PEM file with certificates that these authorities have revoked; with it, each
 *     authority of a client's chain needs a list that is not out of date
 * @param isPlainRefused whether clients without TLS are refused. Implied if they need a certificate
 * @param ciphers the cipher suites, by the JDK's names; empty means the JDK's choice
 * @param protocols the versions of TLS
 * @param alpns the application protocols it offers, the preferred one first; empty means those that
 *     the server speaks
 * @param sessionLifetimeS for how many seconds a session can be resumed
 * @param sessionCacheSize how many sessions it remembers
 */
public record ServerSslOptions(
        CertificateFiles defaultCert,
        List<CertificateFiles> certs,
        boolean isStrictSni,
        ClientAuth clientAuth,
        Optional<Path> caFile,
        Optional<Path> crlFile,
        boolean isPlainRefused,
        List<String> ciphers,
        List<String> protocols,
        List<String> alpns,
        int sessionLifetimeS,
        int sessionCacheSize) {
    static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    private static final int SESSION_LIFETIME_S = 300;
    private static final int SESSION_CACHE_SIZE = 20_480;

    /** Copies the lists. */
    public ServerSslOptions {
        certs = List.copyOf(certs);
        ciphers = List.copyOf(ciphers);
        protocols = List.copyOf(protocols);
        alpns = List.copyOf(alpns);
    }

    /**
     * {@return options with brpc's values, for TLS 1.3 and 1.2}
     *
     * @param certificate a PEM file with the server's certificate
     * @param privateKey a PEM file with its key
     */
    public static ServerSslOptions of(Path certificate, Path privateKey) {
        return new ServerSslOptions(
                CertificateFiles.of(certificate, privateKey),
                List.of(),
                false,
                ClientAuth.NONE,
                Optional.empty(),
                Optional.empty(),
                false,
                List.of(),
                PROTOCOLS,
                List.of(),
                SESSION_LIFETIME_S,
                SESSION_CACHE_SIZE);
    }

    /**
     * {@return a copy with further certificates}
     *
     * @param value all of them, each with its filters
     * @param strict whether clients that ask for another name are refused
     */
    public ServerSslOptions withCerts(List<CertificateFiles> value, boolean strict) {
        return new ServerSslOptions(
                defaultCert,
                value,
                strict,
                clientAuth,
                caFile,
                crlFile,
                isPlainRefused,
                ciphers,
                protocols,
                alpns,
                sessionLifetimeS,
                sessionCacheSize);
    }

    /**
     * {@return a copy that asks clients for certificates}
     *
     * @param value whether they need one
     * @param authorities a PEM file with the authorities that sign them
     */
    public ServerSslOptions withClientAuth(ClientAuth value, Path authorities) {
        return new ServerSslOptions(
                defaultCert,
                certs,
                isStrictSni,
                value,
                Optional.of(authorities),
                crlFile,
                isPlainRefused,
                ciphers,
                protocols,
                alpns,
                sessionLifetimeS,
                sessionCacheSize);
    }

    /**
     * {@return a copy that refuses clients whose certificates were revoked} Needs {@link
     * #withClientAuth}.
     *
     * @param lists a PEM file with the lists of the authorities
     */
    public ServerSslOptions withCrlFile(Path lists) {
        return new ServerSslOptions(
                defaultCert,
                certs,
                isStrictSni,
                clientAuth,
                caFile,
                Optional.of(lists),
                isPlainRefused,
                ciphers,
                protocols,
                alpns,
                sessionLifetimeS,
                sessionCacheSize);
    }

    /**
     * {@return a copy that refuses clients without TLS, or does not}
     *
     * @param value whether it does
     */
    public ServerSslOptions withPlainRefused(boolean value) {
        return new ServerSslOptions(
                defaultCert,
                certs,
                isStrictSni,
                clientAuth,
                caFile,
                crlFile,
                value,
                ciphers,
                protocols,
                alpns,
                sessionLifetimeS,
                sessionCacheSize);
    }

    /**
     * {@return a copy with other versions and cipher suites}
     *
     * @param versions the versions of TLS, such as {@code TLSv1.3}
     * @param suites the cipher suites; empty means the JDK's choice
     */
    public ServerSslOptions withProtocols(List<String> versions, List<String> suites) {
        return new ServerSslOptions(
                defaultCert,
                certs,
                isStrictSni,
                clientAuth,
                caFile,
                crlFile,
                isPlainRefused,
                suites,
                versions,
                alpns,
                sessionLifetimeS,
                sessionCacheSize);
    }

    /**
     * {@return a copy with other application protocols}
     *
     * @param value their names, the preferred one first
     */
    public ServerSslOptions withAlpns(List<String> value) {
        return new ServerSslOptions(
                defaultCert,
                certs,
                isStrictSni,
                clientAuth,
                caFile,
                crlFile,
                isPlainRefused,
                ciphers,
                protocols,
                value,
                sessionLifetimeS,
                sessionCacheSize);
    }

    /**
     * {@return a copy with other limits for sessions}
     *
     * @param lifetimeS for how many seconds one can be resumed
     * @param cacheSize how many are remembered
     */
    public ServerSslOptions withSessions(int lifetimeS, int cacheSize) {
        return new ServerSslOptions(
                defaultCert,
                certs,
                isStrictSni,
                clientAuth,
                caFile,
                crlFile,
                isPlainRefused,
                ciphers,
                protocols,
                alpns,
                lifetimeS,
                cacheSize);
    }

    /** {@return whether every connection must begin with TLS} */
    boolean isTlsOnly() {
        return isPlainRefused || clientAuth == ClientAuth.REQUIRED;
    }
}
