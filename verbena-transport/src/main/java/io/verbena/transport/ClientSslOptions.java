// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a client speaks TLS; brpc's {@code ChannelSSLOptions}. Unlike in brpc, the server's
 * certificate and name are verified. Immutable.
 *
 * @param caFile a PEM file with the authorities that sign servers' certificates; empty means those
 *     that the JDK trusts. brpc's {@code ca_file_path}
 * @param crlFile a PEM file with certificates that these authorities have revoked; with it, each
 *     authority of a server's chain needs a list that is not out of date
 * @param clientCert the client's own certificate, for servers that ask for one
 * @param sniName the name that the server must have; empty means the one in its address
 * @param isHostNameVerified whether the certificate must be for that name. Without this, anyone
 *     with a certificate of the same authority can pose as the server
 * @param ciphers the cipher suites, by the JDK's names; empty means the JDK's choice
 * @param protocols the versions of TLS
 * @param alpns the application protocols it asks for, the preferred one first; brpc's {@code
 *     alpn_protocols}
 */
public record ClientSslOptions(
        Optional<Path> caFile,
        Optional<Path> crlFile,
        Optional<CertificateFiles> clientCert,
        String sniName,
        boolean isHostNameVerified,
        List<String> ciphers,
        List<String> protocols,
        List<String> alpns) {
    /** Trusts what the JDK trusts, and has no certificate. */
    public static final ClientSslOptions DEFAULT =
            new ClientSslOptions(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "",
                    true,
                    List.of(),
                    ServerSslOptions.PROTOCOLS,
                    List.of());

    /** Copies the lists. */
    public ClientSslOptions {
        ciphers = List.copyOf(ciphers);
        protocols = List.copyOf(protocols);
        alpns = List.copyOf(alpns);
    }

    /**
     * {@return a copy with another {@link #caFile()}}
     *
     * @param value the new value
     */
    public ClientSslOptions withCaFile(Path value) {
        return new ClientSslOptions(
                Optional.of(value),
                crlFile,
                clientCert,
                sniName,
                isHostNameVerified,
                ciphers,
                protocols,
                alpns);
    }

    /**
     * {@return a copy with another {@link #crlFile()}} Needs {@link #withCaFile}.
     *
     * @param value the new value
     */
    public ClientSslOptions withCrlFile(Path value) {
        return new ClientSslOptions(
                caFile,
                Optional.of(value),
                clientCert,
                sniName,
                isHostNameVerified,
                ciphers,
                protocols,
                alpns);
    }

    /**
     * {@return a copy with another {@link #clientCert()}}
     *
     * @param certificate a PEM file with the certificate
     * @param privateKey a PEM file with its key
     */
    public ClientSslOptions withClientCert(Path certificate, Path privateKey) {
        return new ClientSslOptions(
                caFile,
                crlFile,
                Optional.of(CertificateFiles.of(certificate, privateKey)),
                sniName,
                isHostNameVerified,
                ciphers,
                protocols,
                alpns);
    }

    /**
     * {@return a copy with another {@link #sniName()}}
     *
     * @param value the new value
     */
    public ClientSslOptions withSniName(String value) {
        return new ClientSslOptions(
                caFile, crlFile, clientCert, value, isHostNameVerified, ciphers, protocols, alpns);
    }

    /**
     * {@return a copy with another {@link #isHostNameVerified()}}
     *
     * @param value the new value
     */
    public ClientSslOptions withHostNameVerified(boolean value) {
        return new ClientSslOptions(
                caFile, crlFile, clientCert, sniName, value, ciphers, protocols, alpns);
    }

    /**
     * {@return a copy with other versions and cipher suites}
     *
     * @param versions the versions of TLS, such as {@code TLSv1.3}
     * @param suites the cipher suites; empty means the JDK's choice
     */
    public ClientSslOptions withProtocols(List<String> versions, List<String> suites) {
        return new ClientSslOptions(
                caFile, crlFile, clientCert, sniName, isHostNameVerified, suites, versions, alpns);
    }

    /**
     * {@return a copy with other {@link #alpns()}}
     *
     * @param value the new value
     */
    public ClientSslOptions withAlpns(List<String> value) {
        return new ClientSslOptions(
                caFile,
                crlFile,
                clientCert,
                sniName,
                isHostNameVerified,
                ciphers,
                protocols,
                value);
    }
}
