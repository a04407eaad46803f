// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.PageRight;
import io.verbena.rpc.spi.PageVerdict;
import java.util.Optional;

/** Decides who may see and change the pages of one server. Any thread. */
final class PageGuard {
    private final PageAccess access;
    private final boolean hasAuth;
    private final Optional<AdministratorToken> token;

    /** Reads the token, or makes one. */
    PageGuard(ServerOptions options) {
        this.access = options.pageAccess();
        this.hasAuth = options.auth().isPresent();
        this.token = access.tokenFile().map(AdministratorToken::of);
    }

    /**
     * {@return whether a client has a right}
     *
     * @param right which
     * @param session the client's connection
     * @param credential what it sent with its request; empty if nothing
     */
    PageVerdict decide(PageRight right, ServerSession session, byte[] credential) {
        if (!asksForCredentials(right)) {
            return PageVerdict.ALLOWED;
        }
        boolean isLocal = session.transport().remoteAddress().getAddress().isLoopbackAddress();
        if (isLocal && token.isPresent() && token.get().matches(credential)) {
            return PageVerdict.ALLOWED;
        }
        return switch (right) {
            case PROBE, VIEW -> isKnown(session, credential);
            case CHANGE -> mayChange(session, credential);
        };
    }

    /** {@return whether only some clients have a right} */
    boolean asksForCredentials(PageRight right) {
        return switch (right) {
            case PROBE -> false;
            case VIEW -> access.isCredentialRequired();
            case CHANGE -> true;
        };
    }

    private PageVerdict isKnown(ServerSession session, byte[] credential) {
        if (!hasAuth) {
            session.onFailedAttempt(credential);
            return PageVerdict.UNAUTHENTICATED;
        }
        return session.authenticate(credential).isEmpty()
                ? PageVerdict.ALLOWED
                : PageVerdict.UNAUTHENTICATED;
    }

    private PageVerdict mayChange(ServerSession session, byte[] credential) {
        if (access.administrators().isEmpty()) {
            if (token.isEmpty()) {
                return PageVerdict.OFF;
            }
            session.onFailedAttempt(credential);
            return PageVerdict.UNAUTHENTICATED;
        }
        PageVerdict known = isKnown(session, credential);
        return known == PageVerdict.ALLOWED && !access.administrators().contains(session.identity())
                ? PageVerdict.FORBIDDEN
                : known;
    }
}
