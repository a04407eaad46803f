// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.Connection;
import io.verbena.transport.TlsSession;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Accepts clients by the identity in their TLS certificates. For servers that ask for certificates
 * ({@link io.verbena.transport.ServerSslOptions#withClientAuth}); clients need no authenticator.
 */
public final class CertificateAuthenticator implements Authenticator {
    private final Predicate<String> accepted;

    /**
     * Accepts some clients.
     *
     * @param accepted says whether an identity is accepted, as {@link TlsSession#identity} gives it
     */
    public CertificateAuthenticator(Predicate<String> accepted) {
        this.accepted = accepted;
    }

    /**
     * {@return accepts the clients with some identities}
     *
     * @param identities all of them
     */
    public static CertificateAuthenticator accepting(String... identities) {
        return new CertificateAuthenticator(Set.of(identities)::contains);
    }

    @Override
    public byte[] generateCredential() {
        return new byte[0];
    }

    /** {@return a refusal: without its connection, a client has no certificate} */
    @Override
    public String verifyCredential(byte[] credential, InetSocketAddress client) {
        return "certificate: none";
    }

    @Override
    public String verify(byte[] credential, Connection connection) {
        String identity = connection.tls().map(TlsSession::identity).orElse("");
        if (identity.isEmpty()) {
            return "certificate: none";
        }
        return accepted.test(identity) ? "" : "certificate: not one of those accepted";
    }
}
