// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.Connection;
import io.verbena.transport.TlsSession;
import java.net.InetSocketAddress;

/**
 * Authenticates clients. The same object may serve both sides. Any thread may call it, and it must
 * not block: the server calls it on the thread that received the request, and the client's call
 * cannot end meanwhile, not even at its deadline. Credentials that take time, such as a token that
 * must be fetched, are fetched ahead by a thread of your own.
 */
public interface Authenticator {
    /** {@return the credential that a client sends, once per connection} */
    byte[] generateCredential();

    /**
     * Verifies a client's credential.
     *
     * @param credential what the client sent; empty if nothing
     * @param client the client's address
     * @return an empty string if the client is accepted, otherwise the reason
     */
    String verifyCredential(byte[] credential, InetSocketAddress client);

    /**
     * {@return who a client is that {@link #verifyCredential} accepted, for {@link Call#identity};
     * empty if there is nothing to say}
     *
     * @param credential what the client sent
     * @param client the client's address
     */
    default String identify(byte[] credential, InetSocketAddress client) {
        return "";
    }

    /**
     * Verifies a client. Authenticators that look at more than the credential override this, not
     * {@link #verifyCredential}.
     *
     * @param credential what the client sent; empty if nothing
     * @param connection the client's connection, with its certificate if it has one
     * @return an empty string if the client is accepted, otherwise the reason
     */
    default String verify(byte[] credential, Connection connection) {
        return verifyCredential(credential, connection.remoteAddress());
    }

    /**
     * {@return who a client is that {@link #verify} accepted; if {@link #identify(byte[],
     * InetSocketAddress)} does not say, the identity in its certificate}
     *
     * @param credential what the client sent
     * @param connection the client's connection
     */
    default String identify(byte[] credential, Connection connection) {
        String told = identify(credential, connection.remoteAddress());
        return told.isEmpty() ? connection.tls().map(TlsSession::identity).orElse("") : told;
    }
}
