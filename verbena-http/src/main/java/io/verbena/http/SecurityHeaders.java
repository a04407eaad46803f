// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * What every answer tells browsers: do not guess its type, run nothing in it, show it in no frame,
 * keep no copy, and give it to no other site.
 */
final class SecurityHeaders {
    /** The lines, ready to be sent. */
    static final String LINES =
            "X-Content-Type-Options: nosniff\r\n"
                    + "X-Frame-Options: DENY\r\n"
                    + "Content-Security-Policy: default-src 'none'; style-src '"
                    + hash(HtmlForm.STYLE)
                    + "'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'\r\n"
                    + "Cross-Origin-Resource-Policy: same-origin\r\n"
                    + "Referrer-Policy: no-referrer\r\n"
                    + "Cache-Control: no-store\r\n";

    private SecurityHeaders() {}

    private static String hash(String style) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(style.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every JDK has it
        }
    }
}
