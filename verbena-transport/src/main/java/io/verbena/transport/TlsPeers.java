// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.X509TrustManager;

/**
 * The connections that TLS has secured, and what their peers were verified with. When that is
 * replaced, the connections of peers that would be refused now are cut. Any thread.
 */
final class TlsPeers {
    private static final String UNKNOWN_KEY_EXCHANGE = "UNKNOWN";

    private final boolean areClients;
    private final Set<SocketConnection> connections = ConcurrentHashMap.newKeySet();
    private volatile Optional<X509TrustManager> trust;

    /**
     * No connections yet.
     *
     * @param areClients whether the peers are clients of this side
     * @param trust what verifies them; empty means that nobody is ever refused later
     */
    TlsPeers(boolean areClients, Optional<X509TrustManager> trust) {
        this.areClients = areClients;
        this.trust = trust;
    }

    /** {@return what verifies peers whose handshake begins now} */
    Optional<X509TrustManager> trust() {
        return trust;
    }

    /** Verifies with something else from now on. Contexts must use it already. */
    void replaceTrust(Optional<X509TrustManager> replacement) {
        trust = replacement;
        connections.forEach(this::cutUnlessTrusted);
    }

    /**
     * TLS has agreed.
     *
     * @param connection has its session
     * @param verifiedWith what {@link #trust} returned before the handshake. If it was replaced
     *     meanwhile, the peer has to stand up to the new one
     */
    void add(SocketConnection connection, Optional<X509TrustManager> verifiedWith) {
        connections.add(connection);
        connection.channel().closeFuture().addListener(_ -> connections.remove(connection));
        // after the connection can be found, so that a replacement misses nobody
        if (!trust.equals(verifiedWith)) {
            cutUnlessTrusted(connection);
        }
    }

    private void cutUnlessTrusted(SocketConnection connection) {
        if (!isTrusted(connection.tls().orElseThrow())) {
            connection.abort(
                    new TransportException(
                            TransportError.ESSL,
                            "TLS: the peer's certificate is not accepted any more"));
        }
    }

    private boolean isTrusted(TlsSession session) {
        Optional<X509TrustManager> verifier = trust;
        List<X509Certificate> chain = session.peerCertificates();
        if (verifier.isEmpty() || chain.isEmpty()) {
            return true;
        }
        try {
            verify(verifier.get(), chain.toArray(X509Certificate[]::new));
            return true;
        } catch (CertificateException e) {
            return false;
        }
    }

    private void verify(X509TrustManager verifier, X509Certificate[] chain)
            throws CertificateException {
        if (areClients) {
            verifier.checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
        } else {
            verifier.checkServerTrusted(chain, UNKNOWN_KEY_EXCHANGE);
        }
    }
}
