// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Who may see a server's pages, and who may change its flags there. Immutable.
 *
 * {@snippet :
 * ServerOptions options =
 *         ServerOptions.DEFAULT
 *                 .withInternalPort(8002)
 *                 .withPageAccess(
 *                         PageAccess.DEFAULT
 *                                 .withAddress(InetAddress.getLoopbackAddress())
 *                                 .withTokenFile(Path.of("/run/user/1000/server.token")));
 * }
 *
 * @param isCredentialRequired whether pages ask for the same credentials as calls; {@code /health}
 *     never does
 * @param administrators the clients that may change flags, by the identity that the server's {@link
 *     Authenticator} gives them
 * @param tokenFile where the local administrator's token is. Whoever sends it from this host may
 *     see and change everything, without other credentials. If there is no such file, the server
 *     makes one with a random token that only its own user can read
 * @param trustedOrigins other web sites whose pages may call methods, such as {@code
 *     https://console.example}, and names under which browsers may reach this server without TLS,
 *     such as {@code http://build7:8002}
 * @param address where the internal port listens; empty means where the server listens
 */
public record PageAccess(
        boolean isCredentialRequired,
        Set<String> administrators,
        Optional<Path> tokenFile,
        Set<String> trustedOrigins,
        Optional<InetAddress> address) {
    /** Anyone may see the pages, and nobody can change anything. */
    public static final PageAccess DEFAULT =
            new PageAccess(false, Set.of(), Optional.empty(), Set.of(), Optional.empty());

    /** Copies the sets. */
    public PageAccess {
        administrators = Set.copyOf(administrators);
        trustedOrigins = Set.copyOf(trustedOrigins);
        for (String origin : trustedOrigins) {
            Options.require(
                    origin.matches("https?://[^/?#@\\s]+"),
                    "trusted origin",
                    origin,
                    "http:// or https://, a host, and a port unless it is the usual one");
        }
    }

    /**
     * {@return a copy with another {@link #isCredentialRequired()}}
     *
     * @param value the new value
     */
    public PageAccess withCredentialRequired(boolean value) {
        return new PageAccess(value, administrators, tokenFile, trustedOrigins, address);
    }

    /**
     * {@return a copy with other {@link #administrators()}}
     *
     * @param identities all of them
     */
    public PageAccess withAdministrators(String... identities) {
        return new PageAccess(
                isCredentialRequired, Set.of(identities), tokenFile, trustedOrigins, address);
    }

    /**
     * {@return a copy with another {@link #tokenFile()}}
     *
     * @param value the new value
     */
    public PageAccess withTokenFile(Path value) {
        return new PageAccess(
                isCredentialRequired, administrators, Optional.of(value), trustedOrigins, address);
    }

    /**
     * {@return a copy with other {@link #trustedOrigins()}}
     *
     * @param origins all of them
     */
    public PageAccess withTrustedOrigins(String... origins) {
        return new PageAccess(
                isCredentialRequired, administrators, tokenFile, Set.of(origins), address);
    }

    /**
     * {@return a copy with another {@link #address()}}
     *
     * @param value the new value
     */
    public PageAccess withAddress(InetAddress value) {
        return new PageAccess(
                isCredentialRequired,
                administrators,
                tokenFile,
                trustedOrigins,
                Optional.of(value));
    }

    /** Rejects what cannot work with the other options of a server. */
    void check(ServerOptions options) {
        boolean hasAuth = options.auth().isPresent();
        Options.require(
                !isCredentialRequired || hasAuth || tokenFile.isPresent(),
                "pages with credentials",
                true,
                "an authenticator or a token file; otherwise nobody can open the pages");
        Options.require(
                administrators.isEmpty() || hasAuth,
                "administrators",
                administrators,
                "none: administrators need an authenticator, which says who a client is");
        Options.require(
                address.isEmpty() || options.internalPort() >= 0,
                "address of the pages",
                address,
                "none without an internal_port");
    }
}
