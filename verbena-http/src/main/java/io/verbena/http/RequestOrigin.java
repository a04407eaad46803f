// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether the page of another web site made a browser send a request. Browsers say where a request
 * comes from in {@code Origin}, {@code Sec-Fetch-Site} or {@code Referer}; other clients send none
 * of them and are accepted. Any thread.
 */
final class RequestOrigin {
    private static final Pattern ORIGIN =
            Pattern.compile("(https?)://([^/?#@\\s]+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern REFERER =
            Pattern.compile("(https?://[^/?#@\\s]+)(?:[/?#].*)?", Pattern.CASE_INSENSITIVE);

    /** An address in digits, or a name without a dot, which nobody can register. */
    private static final Pattern SAFE_HOST =
            Pattern.compile("(\\d+(\\.\\d+){3}|\\[[0-9a-f:.]+]|([^.:]+\\.)?localhost|[^.:]+)");

    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

    private final Set<String> trusted;
    private final boolean isEncrypted;

    /**
     * Rules of one connection.
     *
     * @param trusted origins that count as this server's own
     * @param isEncrypted whether the connection uses TLS, so that its server has proved its name
     */
    RequestOrigin(Set<String> trusted, boolean isEncrypted) {
        this.trusted = trusted;
        this.isEncrypted = isEncrypted;
    }

    /** {@return whether a browser may have sent the request} */
    static boolean isBrowser(HttpHeaders headers) {
        return headers.first("origin").isPresent()
                || headers.first("referer").isPresent()
                || headers.first("sec-fetch-site").isPresent()
                || headers.first("user-agent").orElse("").startsWith("Mozilla/");
    }

    /** {@return why a request that does something is refused; empty if it is not} */
    Optional<String> objectionToAction(HttpHeaders headers) {
        if (!isOwnOrigin(headers)
                || hasForeignReferer(headers)
                || isFetchedByOthers(headers) && !isTrustedOrigin(headers)) {
            return Optional.of("origin: another web site (see PageAccess.trustedOrigins)");
        }
        return objectionToHost(headers);
    }

    /**
     * {@return why a request that only reads is refused; empty if it is not} A link on another site
     * may lead here, but a page there may not load anything from here.
     */
    Optional<String> objectionToReading(HttpHeaders headers) {
        boolean isFollowedLink =
                headers.all("sec-fetch-mode").equals(List.of("navigate"))
                        && headers.all("sec-fetch-dest").equals(List.of("document"));
        if (!isOwnOrigin(headers)
                || isFetchedByOthers(headers) && !isFollowedLink && !isTrustedOrigin(headers)) {
            return Optional.of("origin: another web site (see PageAccess.trustedOrigins)");
        }
        return objectionToHost(headers);
    }

    private boolean isOwnOrigin(HttpHeaders headers) {
        return headers.all("origin").stream().allMatch(origin -> isOwn(origin, headers));
    }

    private boolean isTrustedOrigin(HttpHeaders headers) {
        List<String> origins = headers.all("origin");
        return origins.size() == 1 && trusted.contains(origins.getFirst());
    }

    private boolean hasForeignReferer(HttpHeaders headers) {
        return headers.first("origin").isEmpty()
                && !headers.all("referer").stream()
                        .map(REFERER::matcher)
                        .allMatch(found -> found.matches() && isOwn(found.group(1), headers));
    }

    private static boolean isFetchedByOthers(HttpHeaders headers) {
        return !OWN_SITE.containsAll(headers.all("sec-fetch-site"));
    }

    private boolean isOwn(String origin, HttpHeaders headers) {
        if (trusted.contains(origin)) {
            return true;
        }
        var parts = ORIGIN.matcher(origin);
        if (!parts.matches()) {
            return false;
        }
        String scheme = parts.group(1).toLowerCase(Locale.ROOT);
        // without TLS here, a proxy in front of this server may have had it
        return (scheme.equals("https") || !isEncrypted)
                && authority(parts.group(2), scheme)
                        .equals(authority(headers.first("host").orElse(""), scheme));
    }

    private static String authority(String text, String scheme) {
        String lower = text.toLowerCase(Locale.ROOT);
        String usualPort = scheme.equals("https") ? ":443" : ":80";
        return lower.endsWith(usualPort)
                ? lower.substring(0, lower.length() - usualPort.length())
                : lower;
    }

    /**
     * An attacker can make his own name lead to this server's address, and his page is then of the
     * same origin. With TLS the certificate prevents that.
     */
    private Optional<String> objectionToHost(HttpHeaders headers) {
        if (isEncrypted || !isBrowser(headers)) {
            return Optional.empty();
        }
        String host = headers.first("host").orElse("").toLowerCase(Locale.ROOT);
        String name = host.replaceFirst(":\\d*$", "");
        boolean isKnown =
                SAFE_HOST.matcher(name).matches()
                        || trusted.contains("http://" + host)
                        || trusted.contains("https://" + host);
        return isKnown
                ? Optional.empty()
                : Optional.of("host: a name that may be anyone's (see PageAccess.trustedOrigins)");
    }
}
