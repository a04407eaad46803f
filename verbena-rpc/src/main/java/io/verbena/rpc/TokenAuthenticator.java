// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Authenticates clients by secret tokens, in the form that HTTP uses too: {@code Bearer TOKEN}.
 * Whoever can read the network can read the token, so use it with TLS.
 *
 * {@snippet :
 * ServerOptions.DEFAULT.withAuth(TokenAuthenticator.accepting(Map.of(token, "billing")));
 * ChannelOptions.DEFAULT.withAuth(TokenAuthenticator.sending(token));
 * }
 */
public final class TokenAuthenticator implements Authenticator {
    private static final String BEARER = "Bearer ";

    private final byte[] credential;

    /**
     * Who sends a token, by its hash: how long a look-up takes says nothing about the tokens here.
     */
    private final Map<String, String> identities = new HashMap<>();

    private TokenAuthenticator(String token, Map<String, String> identitiesByToken) {
        credential =
                token.isEmpty()
                        ? new byte[0]
                        : (BEARER + token).getBytes(StandardCharsets.ISO_8859_1);
        identitiesByToken.forEach((key, who) -> identities.put(hash(key), who));
    }

    /**
     * {@return for servers: accepts clients with one of some tokens}
     *
     * @param identitiesByToken who sends each token; for {@link Call#identity}
     */
    public static TokenAuthenticator accepting(Map<String, String> identitiesByToken) {
        return new TokenAuthenticator("", identitiesByToken);
    }

    /**
     * {@return for clients: sends a token}
     *
     * @param token the secret
     */
    public static TokenAuthenticator sending(String token) {
        return new TokenAuthenticator(token, Map.of());
    }

    @Override
    public byte[] generateCredential() {
        return credential.clone();
    }

    @Override
    public String verifyCredential(byte[] given, InetSocketAddress client) {
        return find(given).isPresent() ? "" : "token: unknown";
    }

    @Override
    public String identify(byte[] given, InetSocketAddress client) {
        return find(given).orElse("");
    }

    private Optional<String> find(byte[] given) {
        String text = new String(given, StandardCharsets.ISO_8859_1);
        return text.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.ofNullable(identities.get(hash(text.substring(BEARER.length()).strip())))
                : Optional.empty();
    }

    private static String hash(String token) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(token.getBytes(StandardCharsets.ISO_8859_1));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every JDK has it
        }
    }

    /** {@return what it is, without the token} */
    @Override
    public String toString() {
        return "token authenticator";
    }
}
