// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * What a TLS handshake has agreed on. Immutable.
 *
 * @param protocol the version, such as {@code TLSv1.3}
 * @param cipherSuite the cipher suite
 * @param applicationProtocol what was negotiated by ALPN, such as {@code h2}; empty if nothing was
 * @param serverName the name that the client asked for; empty if it did not say
 * @param isResumed whether it continues an earlier session
 * @param peerCertificates the peer's verified certificate, followed by those that signed it; empty
 *     if it has none
 */
public record TlsSession(
        String protocol,
        String cipherSuite,
        String applicationProtocol,
        String serverName,
        boolean isResumed,
        List<X509Certificate> peerCertificates) {
    private static final int DNS_NAME = 2;
    private static final int URI_NAME = 6;

    /** Copies the list. */
    public TlsSession {
        peerCertificates = List.copyOf(peerCertificates);
    }

    /**
     * {@return who the peer is, according to its certificate: its URI, else its first host name,
     * else the common name of its subject; empty if it has no certificate}
     */
    public String identity() {
        if (peerCertificates.isEmpty()) {
            return "";
        }
        X509Certificate certificate = peerCertificates.getFirst();
        return alternativeName(certificate, URI_NAME)
                .or(() -> alternativeName(certificate, DNS_NAME))
                .or(() -> commonName(certificate))
                .orElse("");
    }

    private static Optional<String> alternativeName(X509Certificate certificate, int kind) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? Optional.empty()
                    : names.stream()
                            .filter(name -> name.getFirst().equals(kind))
                            .map(name -> (String) name.get(1))
                            .findFirst();
        } catch (CertificateParsingException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> commonName(X509Certificate certificate) {
        try {
            return new LdapName(certificate.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(part -> part.getType().equalsIgnoreCase("CN"))
                            .map(Rdn::getValue)
                            .map(String::valueOf)
                            .findFirst();
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }
}
