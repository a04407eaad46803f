// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.Locale;
import java.util.Optional;

/** How messages are encoded in bodies. */
enum BodyFormat {
    JSON("application/json"),
    PROTO("application/proto");

    private final String contentType;

    BodyFormat(String contentType) {
        this.contentType = contentType;
    }

    String contentType() {
        return contentType;
    }

    /**
     * {@return the format of a content type} As in brpc, everything that is not protobuf counts as
     * JSON: by default, curl labels every body as a form.
     *
     * @param contentType the content type of a request
     */
    static BodyFormat of(Optional<String> contentType) {
        String type = contentType.orElse("").split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
        return switch (type) {
            case "application/proto", "application/protobuf", "application/x-protobuf" -> PROTO;
            default -> JSON;
        };
    }
}
