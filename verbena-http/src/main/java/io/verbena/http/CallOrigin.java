// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import java.util.Locale;
import java.util.Optional;

/**
 * Refuses calls that a page of another web site could cause. Such a page may send a POST without
 * asking first if its content type is one that forms have, or none. So browsers must send a type
 * that forms do not have, and the types that only forms have are refused from everyone.
 */
final class CallOrigin {
    private CallOrigin() {}

    /** {@return the answer to a call that is refused; empty if it is not} */
    static Optional<HttpResponse> refusal(RequestOrigin origins, HttpHead head, BlockPool pool) {
        Optional<String> objection = origins.objectionToAction(head.headers());
        if (objection.isPresent()) {
            return Optional.of(HttpResponse.text(HttpStatus.FORBIDDEN, objection.get(), pool));
        }
        boolean isRefused =
                head.headers().all("content-type").size() > 1
                        || switch (type(head)) {
                            case "text/plain", "multipart/form-data" -> true;
                            case "", "application/x-www-form-urlencoded" ->
                                    RequestOrigin.isBrowser(head.headers());
                            default -> false;
                        };
        return isRefused
                ? Optional.of(
                        HttpResponse.text(
                                HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                                "content-type: one that forms have (expected: application/json)",
                                pool))
                : Optional.empty();
    }

    private static String type(HttpHead head) {
        String value = head.headers().first("content-type").orElse("");
        // browsers take what comes before the first comma or semicolon
        return value.split("[;,]", 2)[0].strip().toLowerCase(Locale.ROOT);
    }
}
