// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.handler.ssl.SslHandler;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Reads what a TLS handshake has agreed on. */
final class TlsEvents {
    private TlsEvents() {}

    /**
     * {@return the session of a handler whose handshake is over}
     *
     * @param handler the handler
     * @param startMs when the handshake began; a session that is older was resumed
     */
    static TlsSession session(SslHandler handler, long startMs) {
        SSLSession session = handler.engine().getSession();
        return new TlsSession(
                session.getProtocol(),
                session.getCipherSuite(),
                Objects.requireNonNullElse(handler.applicationProtocol(), ""),
                serverName(session),
                session.getCreationTime() < startMs,
                certificates(session));
    }

    private static String serverName(SSLSession session) {
        return session instanceof ExtendedSSLSession extended
                ? extended.getRequestedServerNames().stream()
                        .filter(SNIHostName.class::isInstance)
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .findFirst()
                        .orElse("")
                : "";
    }

    private static List<X509Certificate> certificates(SSLSession session) {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            for (Certificate certificate : session.getPeerCertificates()) {
                chain.add((X509Certificate) certificate);
            }
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // it has none
        }
        return chain;
    }
}
